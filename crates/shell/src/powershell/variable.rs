//! Variables of PowerShell: its own, those of the environment, and the ones it has by itself.

use super::{Items, text};
use crate::reader::Reader;
use crate::state::{State, Variable};
use crate::text::{ANY, SECRET, UNSET};

impl Reader<'_> {
    pub(super) fn variable(&mut self, name: &str, state: &State) -> Items {
        if let Some(name) = name.strip_prefix("env:") {
            return vec![self.environment(name, state)];
        }
        let key = format!("${name}");
        if let Some(variable) = state.variables.get(&key) {
            let values = self.pick(&key, &variable.values);
            self.worked += values.iter().map(String::len).sum::<usize>();
            return values;
        }
        match name {
            "true" => vec!["True".into()],
            "false" => vec!["False".into()],
            "null" => Items::new(),
            "home" => vec![self.home().unwrap_or_else(|| "~".into())],
            "pwd" => vec![state.folder().to_owned()],
            "psscriptroot" => vec![state.folder().to_owned()],
            "profile" => vec![format!(
                "{}/Documents/PowerShell/profile.ps1",
                self.home().unwrap_or_else(|| "~".into())
            )],
            "pshome" => vec!["C:/Windows/System32/WindowsPowerShell/v1.0".into()],
            "shellid" => vec!["Microsoft.PowerShell".into()],
            "iswindows"
            | "islinux"
            | "ismacos"
            | "?"
            | "^"
            | "$"
            | "pid"
            | "lastexitcode"
            | "error"
            | "matches"
            | "psversiontable"
            | "host"
            | "input"
            | "psitem"
            | "_"
            | "myinvocation"
            | "psboundparameters"
            | "executioncontext"
            | "foreach"
            | "switch"
            | "this"
            | "pscmdlet"
            | "erroractionpreference"
            | "progresspreference"
            | "verbosepreference"
            | "ofs" => vec![ANY.to_string()],
            _ => vec![UNSET.to_string()],
        }
    }

    /// A variable of the environment, whose names are the same in any letters.
    fn environment(&mut self, name: &str, state: &State) -> String {
        let upper = name.to_ascii_uppercase();
        let set = [name, upper.as_str()].into_iter().find_map(|name| state.variables.get(name));
        if let Some(variable) = set {
            return text(&self.pick(name, &variable.values));
        }
        let home = || self.home().unwrap_or_else(|| "~".into());
        match upper.as_str() {
            "USERPROFILE" | "HOME" | "HOMEPATH" => home(),
            "HOMEDRIVE" if self.home().is_some() => String::new(),
            "SYSTEMDRIVE" => "C:".into(),
            "SYSTEMROOT" | "WINDIR" => "C:/Windows".into(),
            "PROGRAMFILES" | "PROGRAMW6432" => "C:/Program Files".into(),
            "PROGRAMFILES(X86)" => "C:/Program Files (x86)".into(),
            "PROGRAMDATA" | "ALLUSERSPROFILE" => "C:/ProgramData".into(),
            "PUBLIC" => "C:/Users/Public".into(),
            "APPDATA" => home() + "/AppData/Roaming",
            "LOCALAPPDATA" => home() + "/AppData/Local",
            "ONEDRIVE" => home() + "/OneDrive",
            "TEMP" | "TMP" => "/tmp".into(),
            "COMSPEC" => "cmd.exe".into(),
            _ if crate::expand::is_secret_name(&upper) => SECRET.to_string(),
            _ => self
                .variable_of_world(name)
                .or_else(|| self.variable_of_world(&upper))
                .unwrap_or_else(|| UNSET.to_string()),
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Items, state: &mut State) {
        if let Some(name) = name.strip_prefix("env:") {
            let value = text(&value);
            self.code_variable(name, &value, state);
            state.variables.insert(name.to_owned(), Variable { exported: true, ..Variable::text(value) });
            return;
        }
        let value = super::bounded(value);
        state.variables.insert(format!("${name}"), Variable::list(value));
    }
}
