//! What is said when this process is ended from outside before it could answer: its time is up, somebody ends it, memory runs
//! out, the stack overflows. A client takes a hook that dies for "go ahead", so the answer is laid ready and a signal handler
//! writes it. The programs that were started end with us.
//!
//! A handler, not a thread: it costs a hook a dozen system calls and nothing else. It may do little, so it does no more than
//! write bytes that lie ready, and it never goes back to what was interrupted.

use std::path::Path;
use std::time::Duration;

use model::LastWord;

/// From now on `word` is said when something ends us, at the latest after `limit`. A line goes to the log.
pub fn prepare(word: LastWord, limit: Duration, log: &Path) {
    platform::prepare(word, limit, log);
}

/// More is known of what was asked, so another answer fits.
pub fn change(word: LastWord) {
    platform::change(word);
}

/// The answer is being written: from now on an end says nothing, but that the answer is not whole.
pub fn answering() {
    platform::answering();
}

/// The answer has been written, and this is how we end.
pub fn answered(exit: u8) {
    platform::answered(exit);
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "signal handlers, and what may be called in them")]
mod platform {
    use std::cell::UnsafeCell;
    use std::ffi::CString;
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering::SeqCst};

    use nix::libc::{self, c_int};
    use nix::sys::time::{TimeVal, TimeValLike as _};

    use super::{Duration, LastWord, Path};
    use crate::process;

    static STAGE: AtomicU8 = AtomicU8::new(OPEN);
    const OPEN: u8 = 0;
    const ANSWERING: u8 = 1;
    const ANSWERED: u8 = 2;

    static WORD: AtomicPtr<LastWord> = AtomicPtr::new(ptr::null_mut());
    static LOG: AtomicPtr<libc::c_char> = AtomicPtr::new(ptr::null_mut());
    static EXIT: AtomicU8 = AtomicU8::new(0);
    static SPEAKING: AtomicBool = AtomicBool::new(false);

    /// Everything that ends a process and can be caught.
    const ENDS: &[c_int] = &[
        libc::SIGALRM,
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGSEGV,
        libc::SIGABRT,
        libc::SIGBUS,
        libc::SIGILL,
        libc::SIGFPE,
        libc::SIGSYS,
        libc::SIGXCPU,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGVTALRM,
        libc::SIGPROF,
    ];

    /// A stack for the handler: the usual one may be what has run out.
    struct Stack(UnsafeCell<[u8; SIZE]>);
    const SIZE: usize = 64 * 1024;
    // SAFETY: only the kernel writes to it, for one handler at a time.
    unsafe impl Sync for Stack {}
    static STACK: Stack = Stack(UnsafeCell::new([0; SIZE]));

    pub(super) fn prepare(word: LastWord, limit: Duration, log: &Path) {
        change(word);
        if let Ok(path) = CString::new(log.as_os_str().as_bytes()) {
            LOG.store(path.into_raw(), SeqCst);
        }
        // SAFETY: plain calls with values that live as long as the process.
        unsafe {
            fill_gaps();
            let stack = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: SIZE };
            libc::sigaltstack(&raw const stack, ptr::null_mut());
            for signal in ENDS {
                catch(*signal, speak as extern "C" fn(c_int) as libc::sighandler_t);
            }
            // A file that may not grow is an error to handle, not the end of us. Not ignored: that would be inherited.
            catch(libc::SIGXFSZ, nothing as extern "C" fn(c_int) as libc::sighandler_t);
            let mut timer: libc::itimerval = std::mem::zeroed();
            timer.it_value =
                *TimeVal::microseconds(i64::try_from(limit.as_micros()).unwrap_or(i64::MAX)).as_ref();
            libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut());
        }
    }

    /// A file that is opened while stdin, stdout or stderr is closed gets its number, and our answer would be written into it. So
    /// a gap is filled, with something that can be neither read nor written in the way that is meant: that stays an error.
    unsafe fn fill_gaps() {
        unsafe {
            for (file, how) in [(0, libc::O_WRONLY), (1, libc::O_RDONLY), (2, libc::O_RDONLY)] {
                if libc::fcntl(file, libc::F_GETFD) < 0 {
                    libc::open(c"/dev/null".as_ptr(), how);
                }
            }
        }
    }

    unsafe fn catch(signal: c_int, handler: libc::sighandler_t) {
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }

    pub(super) fn change(word: LastWord) {
        // Not given back: a handler may be looking at the old one, and there are two in the life of a hook.
        WORD.store(Box::into_raw(Box::new(word)), SeqCst);
    }

    pub(super) fn answering() {
        STAGE.store(ANSWERING, SeqCst);
    }

    pub(super) fn answered(exit: u8) {
        EXIT.store(exit, SeqCst);
        STAGE.store(ANSWERED, SeqCst);
    }

    extern "C" fn nothing(_: c_int) {}

    extern "C" fn speak(signal: c_int) {
        if SPEAKING.swap(true, SeqCst) {
            // Another thread speaks already, and ends us.
            return;
        }
        process::end_all();
        // SAFETY: set before the handlers were, and never given back.
        let word = unsafe { WORD.load(SeqCst).as_ref() }.copied().unwrap_or_default();
        let exit = match STAGE.load(SeqCst) {
            OPEN => {
                write_all(1, word.stdout.as_bytes());
                write_all(2, word.stderr.as_bytes());
                note(signal, &word);
                word.exit
            }
            // Half an answer is none; where silence would let something through, it is a block.
            ANSWERING if word != LastWord::SILENCE => 2,
            ANSWERING => 0,
            _ => EXIT.load(SeqCst),
        };
        // SAFETY: nothing of ours runs after it, which is meant.
        unsafe { libc::_exit(c_int::from(exit)) }
    }

    fn write_all(file: c_int, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: a plain call with a slice that is there.
            let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written) if written > 0 => bytes = &bytes[written..],
                _ => return,
            }
        }
    }

    /// A line for `plimsoll log`, made without allocating.
    fn note(signal: c_int, word: &LastWord) {
        let log = LOG.load(SeqCst);
        if log.is_null() {
            return;
        }
        let verdict = if *word == LastWord::SILENCE { "none" } else { "ask" };
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: it fills what it is given, and may be called from a handler.
        unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanos = u128::from(seconds) * 1_000_000_000 + u128::try_from(now.tv_nsec).unwrap_or(0);
        let mut line = Line { bytes: [0; 320], length: 0 };
        let _ = write!(line, "{{\"v\":{},\"time\":\"", crate::log::schema::VERSION);
        let _ = model::time::write_rfc3339(&mut line, seconds);
        let _ = line.write_str("\",\"id\":\"");
        let _ = crate::log::write_id(&mut line, nanos, std::process::id());
        let why = if signal == libc::SIGALRM { "its time was up" } else { "it was ended by a signal" };
        let _ = writeln!(
            line,
            "\",\"event\":\"\",\"verdict\":\"{verdict}\",\"rules\":[],\"micros\":0,\"failures\":[\"no answer: {why} ({signal})\"]}}"
        );
        // SAFETY: the path ends with a zero byte and is never given back.
        let file =
            unsafe { libc::open(log, libc::O_WRONLY | libc::O_APPEND | libc::O_NONBLOCK | libc::O_CLOEXEC) };
        if file >= 0 {
            write_all(file, &line.bytes[..line.length]);
        }
    }

    struct Line {
        bytes: [u8; 320],
        length: usize,
    }

    impl std::fmt::Write for Line {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            let end = self.length + text.len();
            let place = self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?;
            place.copy_from_slice(text.as_bytes());
            self.length = end;
            Ok(())
        }
    }
}

/// Without signals a thread looks at the clock; whoever is ended here says nothing.
#[cfg(not(unix))]
mod platform {
    use std::io::Write as _;
    use std::sync::Mutex;

    use super::{Duration, LastWord, Path};

    static WORD: Mutex<Option<LastWord>> = Mutex::new(None);

    pub(super) fn prepare(word: LastWord, limit: Duration, _: &Path) {
        change(word);
        std::thread::spawn(move || {
            std::thread::sleep(limit);
            let word = WORD.lock().ok().and_then(|mut word| word.take());
            if let Some(word) = word {
                let _ = std::io::stdout().write_all(word.stdout.as_bytes());
                let _ = std::io::stderr().write_all(word.stderr.as_bytes());
                #[expect(clippy::exit, reason = "whatever hangs is not waited for")]
                std::process::exit(word.exit.into());
            }
        });
    }

    pub(super) fn change(word: LastWord) {
        if let Ok(mut current) = WORD.lock() {
            *current = Some(word);
        }
    }

    pub(super) fn answering() {
        if let Ok(mut current) = WORD.lock() {
            *current = None;
        }
    }

    pub(super) fn answered(_: u8) {}
}
