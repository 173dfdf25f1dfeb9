//! Event streams, as far as streamable HTTP needs them.

use std::io::{self, BufRead, Read as _};

/// The largest part of a stream that is kept is one event's data and one line, each this long.
pub(super) struct Events<R> {
    reader: R,
    limit: usize,
}

/// Why no event came.
#[derive(Debug)]
pub(super) enum Stop {
    /// There are no more.
    End,
    /// One of more than the limit.
    TooLong,
    /// Reading failed.
    Failed(io::Error),
}

impl<R: BufRead> Events<R> {
    /// The events of a stream, each at most `limit` bytes.
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit }
    }

    /// The data of the next message; other kinds of events are passed over.
    pub(super) fn next(&mut self) -> Result<Vec<u8>, Stop> {
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

    /// One line without its end.
    fn line(&mut self) -> Result<Vec<u8>, Stop> {
        let mut line = Vec::new();
        let limit = self.limit as u64 + 1;
        (&mut self.reader).take(limit).read_until(b'\n', &mut line).map_err(Stop::Failed)?;
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            // An event that is cut off does not count.
            return Err(if line.len() > self.limit { Stop::TooLong } else { Stop::End });
        }
        line.pop_if(|byte| *byte == b'\r');
        Ok(line)
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
    fn no_event_is_longer_than_the_limit() {
        assert_eq!(all("data: 1234\n\n", 10), (vec!["1234".into()], "End".into()));
        assert_eq!(all("data: 12345\n\n", 10).1, "TooLong");
        assert_eq!(all("data:123\ndata:456\ndata:789\ndata:012\n\n", 10).1, "TooLong");
        assert_eq!(all(&"x".repeat(1000), 10).1, "TooLong");
    }
}
