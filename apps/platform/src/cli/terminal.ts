import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";

/** The input of this process, which knows whether it is a terminal. */
export type Keyboard = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

/** Ends a typed line, deletes the last character, cancels. */
const KEYS = { enter: new Set(["\r", "\n", "\u0004"]), back: new Set(["\u007f", "\b"]), stop: "\u0003" };

/** Asks a person who can see both ends of this process. */
export async function askOnTerminal(keyboard: Keyboard, screen: Writable, question: string): Promise<string> {
  const reader = createInterface({ input: keyboard, output: screen });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}

/** Reads text that is typed without being shown; without a terminal, the first line of the input. @throws Error when it is interrupted. */
export async function askSecret(keyboard: Keyboard, screen: Writable, question: string): Promise<string> {
  if (!keyboard.isTTY) return await firstLine(keyboard);
  screen.write(question);
  keyboard.setRawMode?.(true);
  keyboard.setEncoding("utf8");
  try {
    return await typed(keyboard);
  } finally {
    keyboard.setRawMode?.(false);
    keyboard.pause();
    screen.write("\n");
  }
}

async function firstLine(input: Keyboard): Promise<string> {
  const reader = createInterface({ input });
  try {
    for await (const line of reader) return line;
    return "";
  } finally {
    reader.close();
    input.destroy();
  }
}

function typed(keyboard: Keyboard): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const take = (part: string): void => {
    for (const sign of part) {
      if (sign === KEYS.stop) reject(new Error("Interrupted. Nothing was changed."));
      else if (KEYS.enter.has(sign)) resolve(text);
      text = KEYS.back.has(sign) ? [...text].slice(0, -1).join("") : text + sign;
    }
  };
  const end = (): void => resolve(text);
  keyboard.on("data", take).once("end", end);
  // A question before this one has paused it.
  keyboard.resume();
  return promise.finally(() => keyboard.off("data", take).off("end", end));
}
