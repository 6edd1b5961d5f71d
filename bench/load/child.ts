import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A child process that answers one request at a time. */
type ChildProcess_<Ask, Report extends { readonly is: string }> = {
  /** @throws Error when it reports a failure first, or ends. */
  ask<Is extends Report["is"]>(ask: Ask, is: Is): Promise<Extract<Report, { is: Is }>>;
  /** Ends it at once. */
  end(): void;
};

/** Starts `program`, a file. `wrong`: the sentence for a report of a failure, undefined for all others; `gone`: the one for its end. */
export function startChild<Ask, Report extends { readonly is: string }>(
  program: string,
  wrong: (report: Report) => string | undefined,
  gone: string,
): ChildProcess_<Ask, Report> {
  const child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  return {
    end: () => void child.kill("SIGKILL"),
    async ask<Is extends Report["is"]>(ask: Ask, is: Is) {
      const { promise, resolve, reject } = Promise.withResolvers<Extract<Report, { is: Is }>>();
      const onReport = (report: Report): void => {
        const sentence = wrong(report);
        if (report.is === is) resolve(report as Extract<Report, { is: Is }>);
        else if (sentence !== undefined) reject(new Error(sentence));
      };
      const ended = (): void => reject(new Error(gone));
      child.on("message", onReport);
      child.on("exit", ended);
      child.send(ask as object);
      try {
        return await promise;
      } finally {
        child.off("message", onReport);
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
