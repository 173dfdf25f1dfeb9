//! How long and how much a server may answer.

use std::str::FromStr;
use std::time::{Duration, Instant};

use super::error::ServeProblem;

/// The limits of one conversation with a server. Whatever a server does, reading it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take to one answer; its start counts towards the first.
    pub answer: Duration,
    /// How long all of it may take.
    pub total: Duration,
    /// How long one message may be, in bytes.
    pub message_bytes: usize,
    /// How much it may write in all, in bytes.
    pub total_bytes: u64,
    /// How many pages its list may have.
    pub pages: usize,
    /// How many tools it may have.
    pub tools: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(60),
            total: Duration::from_secs(180),
            message_bytes: 16 << 20,
            total_bytes: 64 << 20,
            pages: 1_000,
            tools: 10_000,
        }
    }
}

/// One limit set by hand: `answer-seconds=120`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    name: &'static str,
    value: u64,
}

/// The names of the limits, as the command line has them.
pub(super) const ANSWER_SECONDS: &str = "answer-seconds";
pub(super) const TOTAL_SECONDS: &str = "total-seconds";
pub(super) const MESSAGE_BYTES: &str = "message-bytes";
pub(super) const TOTAL_BYTES: &str = "total-bytes";
pub(super) const PAGES: &str = "pages";
pub(super) const TOOLS: &str = "tools";

const NAMES: [&str; 6] = [ANSWER_SECONDS, TOTAL_SECONDS, MESSAGE_BYTES, TOTAL_BYTES, PAGES, TOOLS];

/// The largest value of a limit: it fits every field, and a time of so many seconds can be added to
/// any instant.
const LARGEST: u64 = u32::MAX as u64;

impl Limits {
    /// The default limits, with some set by hand.
    pub fn with(limits: &[Limit]) -> Self {
        let mut all = Self::default();
        for limit in limits {
            let count = usize::try_from(limit.value).unwrap_or(usize::MAX);
            match limit.name {
                ANSWER_SECONDS => all.answer = Duration::from_secs(limit.value),
                TOTAL_SECONDS => all.total = Duration::from_secs(limit.value),
                MESSAGE_BYTES => all.message_bytes = count,
                TOTAL_BYTES => all.total_bytes = limit.value,
                PAGES => all.pages = count,
                _ => all.tools = count,
            }
        }
        // A longer wait for one answer, or a longer message, is meant to be of use.
        all.total = all.total.max(all.answer);
        all.total_bytes = all.total_bytes.max(all.message_bytes as u64);
        all
    }
}

/// When something has to be done, and what to say when it is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    at: Instant,
    limits: Limits,
    /// Whether it is the end of all, not of one answer.
    total: bool,
}

impl Deadline {
    /// The end of a conversation that begins now.
    pub(super) fn of_all(limits: Limits) -> Self {
        Self { at: Instant::now() + limits.total, limits, total: true }
    }

    /// The end of one answer that is waited for from now on.
    pub(super) fn of_answer(self) -> Self {
        let at = Instant::now() + self.limits.answer;
        if at < self.at { Self { at, total: false, ..self } } else { self }
    }

    /// How much time is left; nothing when it is over.
    pub(super) fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// What to say when it is over; `half` when a message had begun.
    pub(super) fn problem(self, half: bool) -> ServeProblem {
        let limits = self.limits;
        if self.total {
            ServeProblem::TotalTimedOut(limits)
        } else {
            ServeProblem::TimedOut { limits, half }
        }
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let name = NAMES
            .into_iter()
            .find(|known| *known == name)
            .ok_or_else(|| format!("the limits are {}", NAMES.join(", ")))?;
        match value.parse() {
            Ok(value) if (1..=LARGEST).contains(&value) => Ok(Self { name, value }),
            _ => Err(format!("write `{name}=N` with a whole number N from 1 to {LARGEST}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(texts: &[&str]) -> Limits {
        let limits: Vec<Limit> = texts.iter().map(|text| text.parse().unwrap()).collect();
        Limits::with(&limits)
    }

    #[test]
    fn each_limit_is_set_by_its_name() {
        let limits = with(&[
            "answer-seconds=1",
            "total-seconds=2",
            "message-bytes=3",
            "total-bytes=4",
            "pages=5",
            "tools=6",
        ]);
        let expected = Limits {
            answer: Duration::from_secs(1),
            total: Duration::from_secs(2),
            message_bytes: 3,
            total_bytes: 4,
            pages: 5,
            tools: 6,
        };
        assert_eq!(limits, expected);
        assert_eq!(with(&[]), Limits::default());
        assert_eq!(with(&["pages=1", "pages=2"]).pages, 2, "the last counts");
    }

    #[test]
    fn a_wider_part_widens_the_whole() {
        assert_eq!(with(&["answer-seconds=1000"]).total, Duration::from_secs(1000));
        assert_eq!(with(&["message-bytes=1000000000"]).total_bytes, 1_000_000_000);
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for (text, expected) in [
            ("seconds=1", "the limits are answer-seconds, "),
            ("", "the limits are answer-seconds, "),
            ("pages", "write `pages=N`"),
            ("pages=0", "write `pages=N`"),
            ("pages=-1", "write `pages=N`"),
            ("pages=1.5", "write `pages=N`"),
            ("total-seconds=18446744073709551615", "write `total-seconds=N`"),
        ] {
            let error = text.parse::<Limit>().unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
