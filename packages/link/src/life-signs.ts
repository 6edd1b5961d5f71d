import { spawn } from "node:child_process";

/** How often a program sends the launcher a beat, ms. */
const BEAT_MS = 2_000;

/**
 * This process serves, and shows from now on that its event loop runs: to a parent over its channel, and to systemd where that has started it
 * (`environment` holds systemd's own variables then). Node has no sockets of the kind that systemd reads, so systemd's own command carries the
 * words, which the unit must allow (`NotifyAccess=all`).
 */
export function showLife(environment: Readonly<Record<string, string | undefined>>): void {
  if (process.send !== undefined) {
    // The parent watches a program from its first beat on, so the first one is sent at once.
    beat();
    setInterval(beat, BEAT_MS).unref();
  }
  if (environment["NOTIFY_SOCKET"] === undefined) return;
  notify("READY=1");
  const watchdogMs = Number(environment["WATCHDOG_USEC"] ?? 0) / 1_000;
  // Twice as often as it must be.
  if (watchdogMs > 0) setInterval(() => notify("WATCHDOG=1"), watchdogMs / 2).unref();
}

function beat(): void {
  // The channel may be closing.
  if (process.connected) process.send?.({ kind: "beat" }, () => undefined);
}

function notify(word: string): void {
  const child = spawn("systemd-notify", [word], { stdio: "ignore" });
  // Without the command systemd's watchdog ends this process, and its log has the reason.
  child.on("error", () => undefined);
  child.unref();
}
