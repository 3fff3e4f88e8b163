export function greet( name: string ) {
      return "hello " +name   ;
}
