const unused = 1;

export function same(first, second) {
  if (first == second) {
    debugger;
  }
  return first;
}
