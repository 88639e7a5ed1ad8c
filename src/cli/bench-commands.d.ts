// Commands that measure are in bench/, which is built upon src.
declare module '#bench/commands/*' {
  export const configure: import('./command-table.js').Configure;
}
