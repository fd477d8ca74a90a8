import type { Session } from '../program/program.ts';

/** What a person types at: standard input, where it is a terminal. */
export type Keyboard = {
  readonly isTTY?: boolean;
  setRawMode(isRaw: boolean): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  off(event: 'data', listener: (bytes: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
};

const [ENTER, LINE_FEED, END, INTERRUPT] = ['\r', '\n', '\u0004', '\u0003'];
const ERASE: readonly string[] = ['\u007f', '\b'];

/**
 * Asks the person at the terminal for a password, which is not shown.
 * @returns undefined where nobody can be asked: standard input or standard error is no terminal
 * @throws the signal's reason where it is interrupted
 */
export function askPassword(
  prompt: string,
  { terminal }: Pick<Session, 'terminal'>,
  keyboard: Keyboard = process.stdin,
): Promise<string | undefined> {
  if (keyboard.isTTY !== true || terminal.stderr.isTTY !== true) return Promise.resolve(undefined);
  terminal.stderr.write(prompt);
  return new Promise((resolve) => {
    let typed = '';
    const finish = (password: string | undefined) => {
      keyboard.off('data', take);
      keyboard.setRawMode(false);
      keyboard.pause();
      terminal.stderr.write('\n');
      resolve(password);
    };
    const take = (bytes: Buffer) => {
      for (const character of bytes.toString()) {
        if (character === INTERRUPT) {
          finish(undefined);
          // In raw mode the terminal does not send it itself.
          process.kill(process.pid, 'SIGINT');
          return;
        }
        if (character === ENTER || character === LINE_FEED || character === END) {
          finish(typed);
          return;
        }
        typed = ERASE.includes(character) ? [...typed].slice(0, -1).join('') : typed + character;
      }
    };
    keyboard.setRawMode(true);
    keyboard.on('data', take);
    keyboard.resume();
  });
}
