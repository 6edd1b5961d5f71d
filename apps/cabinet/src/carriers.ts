import { spawn } from "node:child_process";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { Powered } from "./powered.ts";
import type { Unit } from "./sas/nine-bit.ts";
import { createDecoder, encodeUnit } from "./sas/nine-bit.ts";

/** Where the host is: at most one at a time, on TCP or on the pty. */
export type Line = { send(units: readonly Unit[]): void; attach(write: ((bytes: Buffer) => void) | null): void };

export function createLine(): Line {
  let out: ((bytes: Buffer) => void) | null = null;
  return {
    send: (units) => out?.(Buffer.from(units.flatMap(encodeUnit))),
    attach(write) {
      out = write;
    },
  };
}

const UNREAD_BYTES_MAX = 65_536;

type Host = Pick<Powered, "receive" | "greet">;

/** The framed stream on TCP: one host at a time, a second is refused by closing it. */
export function serveLine(host: Host, line: Line): Server {
  let current: Socket | null = null;
  return createServer((socket) => {
    socket.on("error", () => undefined);
    if (current !== null) {
      socket.destroy();
      return;
    }
    current = socket;
    socket.setNoDelay(true);
    const decoder = createDecoder();
    line.attach((bytes) => {
      // A host that never reads is cut off.
      if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy();
      else socket.write(bytes);
    });
    host.greet();
    socket.on("data", (bytes) => host.receive(decoder.push(bytes)));
    socket.on("close", () => {
      current = null;
      line.attach(null);
    });
  });
}

const PTY_WAIT_MS = 5_000;

/**
 * The framed stream on a pseudo terminal, for hosts that want a device. Node cannot make one; `script` of Debian's bsdutils, which is always
 * installed, can: it copies between its own pipes and a pty whose other end is the path that this resolves to. It ends with the cabinet.
 */
export async function openPty(host: Host, line: Line): Promise<{ path: string; close(): void }> {
  const parent = process.pid;
  // Nothing may read from the terminal but the host, so the shell only waits for the cabinet's end.
  const shell = `stty raw -echo; tty; while kill -0 ${parent} 2>/dev/null; do sleep 1; done`;
  const child = spawn("script", ["-qfc", shell, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] });
  const decoder = createDecoder();
  const close = (): void => void child.kill("SIGTERM");
  child.stdin.on("error", () => undefined);
  const path = await new Promise<string>((resolve, reject) => {
    let head = "";
    const late = setTimeout(
      () => reject(new Error("No pseudo terminal appeared: is script (bsdutils) installed?")),
      PTY_WAIT_MS,
    );
    child.once("error", (error) => reject(new Error(`A pty needs the program script (bsdutils): ${error.message}.`)));
    child.stdout.on("data", function first(bytes: Buffer) {
      head += bytes.toString("latin1");
      const found = /(\/dev\/pts\/\d+)\r?\n/.exec(head);
      if (found?.[1] === undefined) return;
      clearTimeout(late);
      child.stdout.off("data", first);
      resolve(found[1]);
    });
  }).catch((error: unknown) => {
    close();
    throw error;
  });
  line.attach((bytes) => void child.stdin.write(bytes));
  child.stdout.on("data", (bytes: Buffer) => host.receive(decoder.push(bytes)));
  child.once("exit", () => line.attach(null));
  return { path, close };
}
