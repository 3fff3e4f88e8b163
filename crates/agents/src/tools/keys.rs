//! What an argument is, by its name. Names come in their plain form, in small letters with `_`.

use model::Side;

/// A command line for a shell.
pub(super) fn is_command(key: &str) -> bool {
    let about = |word: &str| {
        matches!(
            word,
            "id" | "name"
                | "type"
                | "description"
                | "output"
                | "timeout"
                | "history"
                | "result"
                | "status"
                | "args"
                | "path"
        )
    };
    let word = |word: &str| {
        matches!(
            word,
            "command"
                | "commands"
                | "cmd"
                | "cmds"
                | "commandline"
                | "cmdline"
                | "argv"
                | "bash"
                | "executable"
        )
    };
    matches!(key, "run" | "sh" | "cli" | "exec" | "program" | "binary" | "shell_script")
        || key.split('_').any(word) && !key.rsplit('_').next().is_some_and(about)
}

/// Several of them, each by itself.
pub(super) fn is_plural(key: &str) -> bool {
    matches!(key, "commands" | "cmds" | "scripts" | "steps" | "lines")
}

/// Further words of a command.
pub(super) fn is_args(key: &str) -> bool {
    matches!(
        key,
        "args" | "arguments" | "argv" | "parameters" | "params" | "flags" | "command_args" | "argument_list"
    )
}

/// Where a command starts, or what paths are relative to.
pub(super) fn is_cwd(key: &str) -> bool {
    matches!(
        key,
        "cwd"
            | "workdir"
            | "work_dir"
            | "working_dir"
            | "working_directory"
            | "workingdirectory"
            | "root"
            | "root_path"
            | "root_dir"
            | "base"
            | "base_path"
            | "base_dir"
            | "project_path"
            | "project_root"
            | "project_dir"
            | "workspace"
            | "workspace_path"
            | "workspace_root"
            | "repo_path"
            | "dir_path"
            | "current_directory"
            | "start_directory"
            | "basedir"
            | "projectpath"
    )
}

pub(super) fn is_code(key: &str) -> bool {
    matches!(
        key,
        "code"
            | "source_code"
            | "script"
            | "scripts"
            | "script_content"
            | "script_text"
            | "snippet"
            | "expression"
            | "expr"
            | "function"
            | "python"
            | "python_code"
            | "py"
            | "javascript"
            | "javascript_code"
            | "js"
            | "js_code"
            | "cell"
            | "cell_source"
            | "program_code"
            | "eval"
            | "applescript"
            | "ruby"
            | "perl"
            | "php"
            | "lua"
            | "powershell"
            | "powershell_script"
            | "code_snippet"
            | "function_declaration"
            | "page_function"
            | "body_code"
    )
}

/// What holds code where a language stands beside it.
pub(super) fn may_hold_code(key: &str) -> bool {
    matches!(
        key,
        "content"
            | "contents"
            | "text"
            | "source"
            | "input"
            | "body"
            | "data"
            | "payload"
            | "value"
            | "block"
            | "cell_content"
    )
}

/// Which files of a folder.
pub(super) fn is_pattern(key: &str) -> bool {
    matches!(
        key,
        "pattern"
            | "glob"
            | "include"
            | "match"
            | "file_pattern"
            | "name_pattern"
            | "mask"
            | "wildcard"
            | "extension"
    )
}

/// The language of the code beside it.
pub(super) fn is_language(key: &str) -> bool {
    matches!(
        key,
        "language"
            | "type"
            | "lang"
            | "runtime"
            | "interpreter"
            | "kernel"
            | "kernel_name"
            | "shell"
            | "engine"
            | "language_id"
    )
}

/// What is put into a file.
pub(super) fn is_content(key: &str) -> bool {
    matches!(
        key,
        "content"
            | "contents"
            | "file_content"
            | "file_contents"
            | "file_text"
            | "text"
            | "new_content"
            | "new_contents"
            | "new_text"
            | "new_source"
            | "data"
            | "body"
            | "source"
            | "code"
            | "code_edit"
            | "lines"
    )
}

pub(super) const OLD: &[&str] =
    &["old_string", "old_str", "old_text", "oldtext", "search", "find", "original", "old_content", "old"];
pub(super) const NEW: &[&str] = &[
    "new_string",
    "new_str",
    "new_text",
    "newtext",
    "replace",
    "replacement",
    "replace_with",
    "new_content",
    "new",
    "insert_text",
];

/// Text for people: what it says is said, not done.
pub(super) fn is_words(key: &str) -> bool {
    matches!(
        key,
        "text"
            | "message"
            | "messages"
            | "msg"
            | "description"
            | "title"
            | "body"
            | "comment"
            | "comments"
            | "summary"
            | "subject"
            | "prompt"
            | "question"
            | "questions"
            | "note"
            | "notes"
            | "reason"
            | "thought"
            | "thoughts"
            | "caption"
            | "content"
            | "contents"
            | "markdown"
            | "html"
            | "name"
            | "label"
            | "labels"
            | "topic"
            | "instructions"
            | "explanation"
            | "details"
            | "feedback"
            | "reply"
            | "tweet"
            | "status"
            | "answer"
            | "rationale"
            | "observation"
            | "observations"
            | "context"
            | "goal"
            | "task"
            | "plan"
            | "query"
            | "q"
            | "search"
            | "search_query"
            | "keywords"
            | "pattern"
            | "regex"
            | "placeholder"
            | "selector"
            | "commit_message"
            | "footer"
            | "header"
            | "heading"
            | "review"
            | "purpose"
            | "libraryname"
            | "entity"
    )
}

pub(super) fn is_statement(key: &str) -> bool {
    matches!(
        key,
        "sql"
            | "sql_query"
            | "sqlquery"
            | "sql_statement"
            | "raw_sql"
            | "query_sql"
            | "statement"
            | "statements"
            | "ddl"
            | "dml"
            | "cypher"
            | "cypher_query"
            | "sql_text"
            | "sqltext"
    )
}

pub(super) fn is_address(key: &str) -> bool {
    matches!(
        key.rsplit('_').next(),
        Some(
            "url"
                | "urls"
                | "uri"
                | "uris"
                | "href"
                | "endpoint"
                | "link"
                | "links"
                | "address"
                | "webhook"
                | "origin"
                | "website"
        )
    )
}

/// Something that a single word says what to do with.
pub(super) fn is_action(key: &str) -> bool {
    matches!(
        key,
        "action"
            | "actions"
            | "operation"
            | "operation_name"
            | "action_name"
            | "op"
            | "verb"
            | "tool"
            | "tool_name"
            | "toolname"
            | "function_name"
            | "subcommand"
            | "mode"
            | "method"
            | "command"
            | "request_type"
            | "task_type"
            | "edit_type"
            | "kind_of_operation"
    )
}

/// What kind of thing an action is about.
pub(super) fn is_resource(key: &str) -> bool {
    matches!(
        key,
        "resource"
            | "resource_type"
            | "resourcetype"
            | "kind"
            | "object_type"
            | "entity_type"
            | "type"
            | "target_type"
    )
}

fn is_folder_word(word: &str) -> bool {
    matches!(word, "dir" | "dirs" | "directory" | "directories" | "folder" | "folders")
}

fn is_file_word(word: &str) -> bool {
    matches!(
        word,
        "path"
            | "paths"
            | "file"
            | "files"
            | "filename"
            | "filenames"
            | "filepath"
            | "filepaths"
            | "notebook"
            | "attachment"
            | "attachments"
            | "pathname"
    )
}

/// A path by the name of its argument: which end it is, and whether the name leaves no doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) side: Side,
    pub(super) sure: bool,
    pub(super) folder: bool,
}

pub(super) fn path(key: &str) -> Option<Named> {
    let last = key.rsplit('_').next().unwrap_or(key);
    let folder = is_folder_word(last);
    let first = key.split('_').next().unwrap_or(key);
    let of_file = last == "name"
        && matches!(first, "file" | "path" | "document" | "notebook" | "script" | "folder" | "directory");
    let sure = folder
        || is_file_word(last)
        || is_cwd(key)
        || of_file
        || matches!(key, "fname" | "fpath" | "outfile" | "infile");
    let has = |words: &[&str]| key.split('_').any(|word| words.contains(&word));
    let side = if is_cwd(key) {
        Side::Around
    } else if has(&["destination", "dest", "dst", "to", "output", "out", "outfile", "save", "into", "new"]) {
        Side::To
    } else if has(&["source", "src", "from", "old", "original", "input", "existing"]) {
        Side::From
    } else if key == "target" {
        Side::To
    } else {
        Side::Only
    };
    let weak = matches!(key, "location" | "uri" | "uris" | "target" | "relative" | "item" | "items")
        || !sure && side != Side::Only && key.split('_').count() == 1;
    (sure || weak).then_some(Named { side, sure, folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_by_their_names() {
        for (key, side, sure) in [
            ("path", Side::Only, true),
            ("file_path", Side::Only, true),
            ("paths", Side::Only, true),
            ("directory", Side::Only, true),
            ("source_path", Side::From, true),
            ("new_path", Side::To, true),
            ("destination", Side::To, false),
            ("from", Side::From, false),
            ("cwd", Side::Around, true),
            ("repo_path", Side::Around, true),
            ("output_file", Side::To, true),
            ("file_name", Side::Only, true),
        ] {
            let found = path(key).unwrap_or_else(|| panic!("{key}"));
            assert_eq!((found.side, found.sure), (side, sure), "{key}");
        }
        for key in ["description", "owner", "limit", "content", "old_string"] {
            assert_eq!(path(key), None, "{key}");
        }
    }
}
