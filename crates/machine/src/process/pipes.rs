//! What a running program prints, read while it runs. On Unix by the one who waits for it: a thread for each pipe costs about as
//! much as a fast linter's start.

use std::io::{self, Read};
#[cfg(unix)]
use std::process::Child;
#[cfg(unix)]
use std::time::Duration;

/// At once. Most programs say less, and a larger buffer is touched before it is used.
const READ: usize = 16 * 1024;

/// How much is kept of each of stdout and stderr, and which part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keep {
    pub(super) most: usize,
    /// The end, where a user would look; else the beginning, where what a program reads begins.
    pub(super) end: bool,
}

/// Of one pipe, a part.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) bytes: Vec<u8>,
    /// There was more.
    pub(super) cut: bool,
}

impl Kept {
    fn add(&mut self, bytes: &[u8], keep: Keep) {
        let left = keep.most.saturating_sub(self.bytes.len());
        let room = if keep.end { bytes.len() } else { left.min(bytes.len()) };
        self.bytes.extend_from_slice(&bytes[..room]);
        self.cut |= room < bytes.len();
        // Cut at twice the size, so that each byte is moved once at the most.
        if self.bytes.len() > keep.most.saturating_mul(2) {
            self.shorten(keep);
        }
    }

    fn has(&self, text: &str) -> bool {
        self.bytes.windows(text.len()).any(|bytes| bytes == text.as_bytes())
    }

    fn shorten(&mut self, keep: Keep) {
        if self.bytes.len() > keep.most {
            self.bytes.drain(..self.bytes.len() - keep.most);
            self.cut = true;
        }
    }
}

/// Reads once. The rest of what is too much is read too: a full pipe would keep the program from ending. `false` at the end.
fn read_some(pipe: &mut impl Read, buffer: &mut [u8], keep: impl FnOnce(&[u8])) -> bool {
    match pipe.read(buffer) {
        Ok(0) => false,
        Ok(count) => {
            keep(&buffer[..count]);
            true
        }
        Err(error) => error.kind() == io::ErrorKind::Interrupted,
    }
}

#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Pipes {
    /// Stdout and stderr; `None` when it is closed.
    open: [Option<std::fs::File>; 2],
    kept: [Kept; 2],
    buffer: Vec<u8>,
    keep: Keep,
}

#[cfg(unix)]
impl Pipes {
    pub(super) fn of(child: &mut Child, keep: Keep) -> Self {
        use std::os::fd::OwnedFd;
        let stdout = child.stdout.take().map(|pipe| OwnedFd::from(pipe).into());
        let stderr = child.stderr.take().map(|pipe| OwnedFd::from(pipe).into());
        Self { open: [stdout, stderr], kept: Default::default(), buffer: vec![0; READ], keep }
    }

    pub(super) fn are_open(&self) -> bool {
        self.open.iter().any(Option::is_some)
    }

    /// Waits until something is printed or a pipe is closed, but no longer than this. Whether something was printed.
    pub(super) fn wait(&mut self, at_most: Duration) -> bool {
        use std::os::fd::AsFd;

        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        let limit = PollTimeout::try_from(at_most).unwrap_or(PollTimeout::MAX);
        let which: Vec<usize> = (0..2).filter(|&index| self.open[index].is_some()).collect();
        let mut asked: Vec<PollFd<'_>> =
            self.open.iter().flatten().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)).collect();
        // Interrupted is as good as nothing new: whoever waits asks again.
        let _ = poll(&mut asked, limit);
        let ready: Vec<usize> = which
            .into_iter()
            .zip(&asked)
            .filter(|(_, asked)| asked.any().unwrap_or(false))
            .map(|(index, _)| index)
            .collect();
        let mut printed = false;
        for index in ready {
            let Some(pipe) = &mut self.open[index] else { continue };
            let kept = &mut self.kept[index];
            if read_some(pipe, &mut self.buffer, |bytes| kept.add(bytes, self.keep)) {
                printed = true;
            } else {
                self.open[index] = None;
            }
        }
        printed
    }

    /// Whether this was printed to stdout.
    pub(super) fn has(&self, text: &str) -> bool {
        self.kept[0].has(text)
    }

    /// Reads what is there, and waits for nothing.
    pub(super) fn drain(&mut self) {
        loop {
            let open = self.open.iter().flatten().count();
            if !self.wait(Duration::ZERO) && self.open.iter().flatten().count() == open {
                return;
            }
        }
    }

    /// Stdout and stderr, as far as they have come.
    pub(super) fn take(&mut self) -> [Kept; 2] {
        let mut kept = std::mem::take(&mut self.kept);
        kept.iter_mut().for_each(|kept| kept.shorten(self.keep));
        kept
    }
}

#[cfg(not(unix))]
pub(super) use threads::Pipes;

/// Where pipes cannot be asked, a thread reads each of them.
#[cfg(not(unix))]
mod threads {
    use std::io::Read;
    use std::process::Child;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Duration;

    use super::{Keep, Kept, READ, read_some};

    #[derive(Debug)]
    pub(in crate::process) struct Pipes {
        kept: [Arc<Mutex<Kept>>; 2],
        closed: Receiver<()>,
        open: usize,
        keep: Keep,
    }

    impl Pipes {
        pub(in crate::process) fn of(child: &mut Child, keep: Keep) -> Self {
            let (sender, closed) = channel();
            let stdout = child.stdout.take().map(|pipe| start(pipe, keep, sender.clone()));
            let stderr = child.stderr.take().map(|pipe| start(pipe, keep, sender));
            let open = usize::from(stdout.is_some()) + usize::from(stderr.is_some());
            Self { kept: [stdout.unwrap_or_default(), stderr.unwrap_or_default()], closed, open, keep }
        }

        pub(in crate::process) fn are_open(&self) -> bool {
            self.open > 0
        }

        pub(in crate::process) fn wait(&mut self, at_most: Duration) -> bool {
            match self.closed.recv_timeout(at_most) {
                Ok(()) => self.open -= 1,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.open = 0,
            }
            false
        }

        pub(in crate::process) fn has(&self, text: &str) -> bool {
            self.kept[0].lock().unwrap_or_else(PoisonError::into_inner).has(text)
        }

        /// Whoever has ended has closed its pipes, so that the threads are about to end.
        pub(in crate::process) fn drain(&mut self) {
            while self.are_open() && self.closed.recv_timeout(Duration::from_millis(100)).is_ok() {
                self.open -= 1;
            }
        }

        pub(in crate::process) fn take(&mut self) -> [Kept; 2] {
            let take = |kept: &Mutex<Kept>| {
                let mut kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
                kept.shorten(self.keep);
                kept
            };
            [take(&self.kept[0]), take(&self.kept[1])]
        }
    }

    fn start<R: Read + Send + 'static>(mut pipe: R, keep: Keep, closed: Sender<()>) -> Arc<Mutex<Kept>> {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut buffer = vec![0; READ];
            let keep = |bytes: &[u8]| shared.lock().unwrap_or_else(PoisonError::into_inner).add(bytes, keep);
            while read_some(&mut pipe, &mut buffer, keep) {}
            let _ = closed.send(());
        });
        kept
    }
}
