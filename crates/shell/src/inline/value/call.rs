//! What calls of well-known functions give for constants.

use super::{DEEPEST, Expression, Value, arguments_in, join_path};
use crate::simulate::{decode, printf};
use crate::text::{DECODED, NET};

impl<'a> Expression<'a> {
    pub(super) fn call(&self, name: &str, base: &str, raw: &'a str) -> Value {
        if self.depth > DEEPEST {
            return Value::default();
        }
        let args = arguments_in(raw, self.names, self.depth + 1);
        let first = args.first().cloned().unwrap_or_default();
        let text = first.text();
        let second = args.get(1).map(Value::text).unwrap_or_default();
        let decoded = |decode: fn(&str) -> Option<Vec<u8>>| {
            Value::Text(decode::text(&text, decode).unwrap_or_else(|| DECODED.to_string()))
        };
        match base {
            "homedir" | "home" => Value::Text("~".into()),
            "getenv" | "get" if matches!(text.as_str(), "HOME" | "USERPROFILE") => Value::Text("~".into()),
            "expanduser" | "Path" | "PosixPath" | "PurePath" | "str" | "String" | "abspath" | "realpath"
            | "normpath" | "fspath" | "expand_path" | "expand" | "quote" | "list" | "tuple" | "sorted"
            | "compile" | "Array" | "c" | "iter" | "set" | "File" | "fs.resolve" | "path.normalize"
            | "URI" | "Regexp" | "escapeshellarg" => {
                if args.len() > 1 && base != "compile" && !matches!(first, Value::List(_)) {
                    // `Path('/', 'etc')`, R's `c("-rf", "/")`.
                    let parts: Vec<String> = args.iter().map(Value::text).collect();
                    return if matches!(base, "Path" | "PurePath" | "PosixPath") {
                        Value::Text(join_path(&parts))
                    } else {
                        Value::List(parts)
                    };
                }
                first
            }
            "array" => Value::List(args.iter().map(Value::text).collect()),
            "join" | "file.path" | "resolve" if name.contains(['.', ':']) || base == "resolve" => {
                Value::Text(join_path(&args.iter().map(Value::text).collect::<Vec<_>>()))
            }
            // Perl and PHP: the separator first.
            "join" | "implode" => {
                Value::Text(args.iter().skip(1).flat_map(Value::texts).collect::<Vec<_>>().join(&text))
            }
            "concat" | "paste0" => Value::Text(args.iter().map(Value::text).collect()),
            "chr" | "fromCharCode" | "fromCodePoint" => args
                .iter()
                .map(|code| code.text().parse::<u32>().ok().and_then(char::from_u32))
                .collect::<Option<String>>()
                .map_or_else(Value::default, Value::Text),
            "bytes" | "bytearray" => match &first {
                Value::List(codes) => codes
                    .iter()
                    .map(|code| code.parse::<u32>().ok().and_then(char::from_u32))
                    .collect::<Option<String>>()
                    .map_or_else(Value::default, Value::Text),
                text @ Value::Text(_) => text.clone(),
            },
            "fromhex" | "unhexlify" | "hex2bin" | "a2b_hex" => decoded(decode::hex),
            "pack" => match (text.as_str(), decode::text(&second, decode::hex)) {
                ("H*", Some(text)) => Value::Text(text),
                _ => Value::Text(DECODED.to_string()),
            },
            "b64decode" | "urlsafe_b64decode" | "decodestring" | "decode64" | "strict_decode64" | "atob"
            | "base64_decode" | "decode_base64" | "standard_b64decode" | "a2b_base64" | "decodebytes" => {
                decoded(decode::base64)
            }
            "from" if second == "base64" => decoded(decode::base64),
            "from" if second == "hex" => decoded(decode::hex),
            "from" | "b32decode" if base == "b32decode" => decoded(decode::base32),
            "from" => first,
            "decode" if second.starts_with("rot") => Value::Text(decode::rot13(&text)),
            "decode" if second.contains("hex") => decoded(decode::hex),
            "decode" if second.contains("base64") => decoded(decode::base64),
            "decompress" | "gunzipSync" | "inflateSync" | "gzinflate" | "gzuncompress" | "loads"
            | "unpack" => Value::Text(DECODED.to_string()),
            "str_rot13" => Value::Text(decode::rot13(&text)),
            "strrev" | "reverse" | "reversed" => Value::Text(text.chars().rev().collect()),
            "sprintf" | "format" | "vsprintf" => {
                let words: Vec<String> = args.iter().flat_map(Value::texts).collect();
                Value::Text(printf(&words.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            "split" | "explode"
                if name.contains("shlex") || matches!(self.names.language, "perl" | "php") =>
            {
                let text = if name.contains("shlex") { text } else { second };
                Value::List(text.split_whitespace().map(str::to_owned).collect())
            }
            "glob" | "iglob" | "globSync" => first,
            "urlopen" | "fetch" | "get" | "request" | "file_get_contents"
                if text.contains("://") && !text.starts_with("file") =>
            {
                Value::Text(NET.to_string())
            }
            "q" | "qq" => Value::Text(raw.to_owned()),
            _ => Value::default(),
        }
    }
}
