const größe = 1;
let x = 2;
if (x == 2) {
	debugger;
}
