import { createInterface } from "node:readline/promises";

/** Ends a typed line, takes the last sign back, gives up. */
const KEYS = { enter: new Set(["\r", "\n", "\u0004"]), back: new Set(["\u007f", "\b"]), stop: "\u0003" };

/** Asks a person who can see both ends of this process. */
export async function askOnTerminal(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}

/** What is typed without being shown; where nobody can type, the first line of the input. */
export async function secretFromInput(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return await firstLine(stdin);
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  try {
    return await typed(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  const reader = createInterface({ input });
  try {
    for await (const line of reader) return line;
    return "";
  } finally {
    reader.close();
    input.destroy();
  }
}

function typed(input: NodeJS.ReadStream): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const take = (part: string): void => {
    for (const sign of part) {
      if (sign === KEYS.stop) reject(new Error("Interrupted. Nothing was changed."));
      else if (KEYS.enter.has(sign)) resolve(text);
      text = KEYS.back.has(sign) ? [...text].slice(0, -1).join("") : text + sign;
    }
  };
  input.on("data", take);
  return promise.finally(() => input.off("data", take));
}
