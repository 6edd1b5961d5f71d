import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../../../../cabinet/src/main.ts", import.meta.url));

/** The machine's side of SAS, as a program of its own: nothing of it is imported here. */
export type Cabinet = {
  readonly sasPort: number;
  /** Of its relay board, Modbus TCP. */
  readonly buttonsPort: number;
  /** Of its camera, where it has a screen. */
  readonly screenPort: number | undefined;
  /** Path of its line when it is on a pseudo terminal. */
  readonly pty: string | undefined;
  /** Makes something happen at the machine: see the cabinet's orders. Rejects with what it answers when it does not do it. */
  order(order: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** What its control reports. */
  report(): Promise<unknown>;
  end(): Promise<void>;
};

type Ready = {
  kind: "ready";
  ports: { sas: number; buttons: number; control: number; screen?: number };
  pty?: string | undefined;
};

/** Starts a cabinet on free ports; `options` as on its command line. */
export async function startCabinet(folder: string, options: readonly string[]): Promise<Cabinet> {
  const args = ["--data", folder, "--sas", "0", "--buttons", "0", "--control", "0", "--screen", "none", ...options];
  const child = fork(PROGRAM, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const { ports, pty } = await readyOf(child);
  const control = async (request?: RequestInit): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${ports.control}/`, request).catch((error: unknown) => {
      const how = child.signalCode ?? child.exitCode;
      throw how === null ? error : new Error(`The cabinet ended by itself: ${how}.`, { cause: error });
    });
    if (!answer.ok) throw new Error(await answer.text());
    return await answer.json();
  };
  return {
    sasPort: ports.sas,
    buttonsPort: ports.buttons,
    screenPort: ports.screen,
    pty,
    order: (order) =>
      control({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(order) }),
    report: () => control(),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

async function readyOf(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as Ready));
    child.once("exit", (code) => reject(new Error(`The cabinet ended with ${code}.`)));
  });
}
