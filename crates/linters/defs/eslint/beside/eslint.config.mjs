export default [{ rules: { eqeqeq: "error", "no-debugger": "error", "no-unused-vars": "warn" } }];
