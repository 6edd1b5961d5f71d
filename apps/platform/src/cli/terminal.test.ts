import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askOnTerminal, askSecret } from "./terminal.ts";

/** A keyboard with a person at it, and what the screen shows. */
function desk(isTTY = true) {
  const raw: boolean[] = [];
  const keyboard = Object.assign(new PassThrough(), { isTTY, setRawMode: (on: boolean) => void raw.push(on) });
  const screen = new PassThrough();
  return { keyboard, screen, raw, shown: () => String(screen.read() ?? "") };
}

test("a secret is typed without being shown, letters can be taken back, and it may come in pieces", async () => {
  const { keyboard, screen, raw, shown } = desk();
  const secret = askSecret(keyboard, screen, "Password: ");
  keyboard.write("gizlı");
  keyboard.write("\u007fi söz");
  keyboard.write("\r");
  expect(await secret).toBe("gizli söz");
  expect(shown()).toBe("Password: \n");
  expect(raw).toEqual([true, false]);
});

test("a secret can be read after a question, which leaves the keyboard paused", async () => {
  const { keyboard, screen } = desk();
  const answer = askOnTerminal(keyboard, screen, "Sure? ");
  keyboard.write("yes\n");
  expect(await answer).toBe("yes");
  expect(keyboard.isPaused()).toBe(true);
  const secret = askSecret(keyboard, screen, "Password: ");
  keyboard.write("still read\n");
  expect(await secret).toBe("still read");
});

test("Ctrl+C changes nothing, and the end of the input is the end of the line", async () => {
  const stopped = desk();
  const interrupted = askSecret(stopped.keyboard, stopped.screen, "PIN: ");
  stopped.keyboard.write("12\u0003");
  await expect(interrupted).rejects.toThrow("Interrupted. Nothing was changed.");
  expect(stopped.raw).toEqual([true, false]);
  const ended = desk();
  const rest = askSecret(ended.keyboard, ended.screen, "PIN: ");
  ended.keyboard.end("1234");
  expect(await rest).toBe("1234");
});

test("without a terminal it is the first line of the input, and no more of it", async () => {
  const piped = desk(false);
  const secret = askSecret(piped.keyboard, piped.screen, "Password: ");
  piped.keyboard.end("first line\nsecond line\n");
  expect(await secret).toBe("first line");
  expect(piped.shown()).toBe("");
  const empty = desk(false);
  const nothing = askSecret(empty.keyboard, empty.screen, "Password: ");
  empty.keyboard.end();
  expect(await nothing).toBe("");
});
