import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A process of ours that is asked one thing at a time. */
type AskedProcess<Ask, Tells extends { readonly is: string }> = {
  /** @throws Error when it tells of something wrong first, or ends. */
  ask<Is extends Tells["is"]>(ask: Ask, is: Is): Promise<Extract<Tells, { is: Is }>>;
  /** Ends it at once. */
  end(): void;
};

/** Starts `program`, a file. `wrong`: the sentence for what it tells of a failure, undefined for all else; `gone`: the one for its end. */
export function startAsked<Ask, Tells extends { readonly is: string }>(
  program: string,
  wrong: (told: Tells) => string | undefined,
  gone: string,
): AskedProcess<Ask, Tells> {
  const child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  return {
    end: () => void child.kill("SIGKILL"),
    async ask<Is extends Tells["is"]>(ask: Ask, is: Is) {
      const { promise, resolve, reject } = Promise.withResolvers<Extract<Tells, { is: Is }>>();
      const hear = (told: Tells): void => {
        const sentence = wrong(told);
        if (told.is === is) resolve(told as Extract<Tells, { is: Is }>);
        else if (sentence !== undefined) reject(new Error(sentence));
      };
      const ended = (): void => reject(new Error(gone));
      child.on("message", hear);
      child.on("exit", ended);
      child.send(ask as object);
      try {
        return await promise;
      } finally {
        child.off("message", hear);
        child.off("exit", ended);
      }
    },
  };
}

const PROCESS = fileURLToPath(new URL("./bare-process.ts", import.meta.url));

/** A process of its own that answers `GET /v1/player/balance` with this and does nothing else. */
export async function startBare(answer: object): Promise<{ readonly port: number; readonly pid: number; end(): void }> {
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  child.send(answer);
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return { port, pid: child.pid ?? 0, end: () => void child.kill() };
}
