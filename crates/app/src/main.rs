//! The `plimsoll` program. What it does is in the library; this is the door.

fn main() -> std::process::ExitCode {
    plimsoll::main()
}
