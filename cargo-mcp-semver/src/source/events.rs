//! Event streams, as far as streamable HTTP needs them.
//!
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html>

use std::io::{self, BufRead};

/// The largest part of a stream that is kept is one event's data and one line, each this long.
pub(crate) struct Events<R> {
    reader: R,
    limit: usize,
    /// Whether a line feed would belong to the end of the line before.
    after_return: bool,
}

/// Why no event came.
#[derive(Debug)]
pub(crate) enum Stop {
    /// There are no more.
    End,
    /// One of more than the limit.
    TooLong,
    /// Reading failed.
    Failed(io::Error),
}

impl<R: BufRead> Events<R> {
    /// The events of a stream, each at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit, after_return: false }
    }

    /// The data of the next message; other kinds of events are passed over.
    pub(crate) fn next(&mut self) -> Result<Vec<u8>, Stop> {
        let mut data: Option<Vec<u8>> = None;
        let mut is_message = true;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                match data.take().filter(|_| is_message) {
                    // A server may begin with an event that only carries an id.
                    Some(data) if !data.trim_ascii().is_empty() => return Ok(data),
                    _ => is_message = true,
                }
            } else if let Some(value) = field(&line, b"data") {
                let data = match &mut data {
                    Some(data) => {
                        data.push(b'\n');
                        data
                    }
                    None => data.insert(Vec::new()),
                };
                if data.len() + value.len() > self.limit {
                    return Err(Stop::TooLong);
                }
                data.extend_from_slice(value);
            } else if let Some(kind) = field(&line, b"event") {
                is_message = kind == b"message" || kind.is_empty();
            }
        }
    }

    /// One line without its end: a line feed, a carriage return, or both.
    fn line(&mut self) -> Result<Vec<u8>, Stop> {
        let mut line = Vec::new();
        loop {
            let available = match self.reader.fill_buf() {
                // An event that is cut off does not count.
                Ok([]) => return Err(Stop::End),
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stop::Failed(error)),
            };
            if std::mem::take(&mut self.after_return) && available[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            let end = available.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let taken = end.unwrap_or(available.len());
            if line.len() + taken > self.limit {
                return Err(Stop::TooLong);
            }
            line.extend_from_slice(&available[..taken]);
            self.after_return = end.is_some_and(|end| available[end] == b'\r');
            self.reader.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(line);
            }
        }
    }
}

/// The value of a field, if the line is one of that name.
fn field<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let value = line.strip_prefix(name)?;
    if value.is_empty() {
        return Some(value);
    }
    let value = value.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, limit: usize) -> (Vec<String>, String) {
        let mut events = Events::new(text.as_bytes(), limit);
        let mut found = Vec::new();
        loop {
            match events.next() {
                Ok(data) => found.push(String::from_utf8(data).unwrap()),
                Err(stop) => return (found, format!("{stop:?}")),
            }
        }
    }

    #[test]
    fn messages_come_whole_and_in_order() {
        let text = "retry: 3000\r\nid: 0\r\ndata:\r\n\r\n: alive\n\nevent: message\ndata: {\ndata:}\n\n\
                    event: endpoint\ndata: /x\n\ndata:a\n\ndata: cut off";
        assert_eq!(all(text, 100), (vec!["{\n}".into(), "a".into()], "End".into()));
    }

    #[test]
    fn each_end_of_a_line_ends_one() {
        let text = "event: message\ndata: {\ndata: }\n\ndata: a\n\n";
        for end in ["\n", "\r", "\r\n"] {
            let text = text.replace('\n', end);
            assert_eq!(all(&text, 100).0, ["{\n}", "a"], "{end:?}");
            // Whatever comes in one read.
            let mut events = Events::new(io::BufReader::with_capacity(1, text.as_bytes()), 100);
            assert_eq!(events.next().unwrap(), b"{\n}", "{end:?}");
            assert_eq!(events.next().unwrap(), b"a", "{end:?}");
        }
    }

    #[test]
    fn no_event_is_longer_than_the_limit() {
        assert_eq!(all("data: 1234\n\n", 10), (vec!["1234".into()], "End".into()));
        assert_eq!(all("data: 12345\n\n", 10).1, "TooLong");
        assert_eq!(all("data:123\ndata:456\ndata:789\ndata:012\n\n", 10).1, "TooLong");
        assert_eq!(all(&"x".repeat(1000), 10).1, "TooLong");
    }
}
