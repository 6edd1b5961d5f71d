import type { Readout } from "../picture/readout.ts";
import type { MediaPath } from "../picture/rtc-port.ts";
import type { PressTimes } from "../press/press-times.ts";
import type { Finding } from "./finding.ts";
import type { LinkEvent, LinkSample } from "./link-history.ts";

/** Everything that is known of the link now. */
export type LinkReport = {
  readonly readout: Readout;
  readonly press: PressTimes | undefined;
  readonly path: MediaPath;
  /** Second by second, the last minute. */
  readonly samples: readonly LinkSample[];
  readonly events: readonly LinkEvent[];
};

/** Where the file comes from. */
export type SupportAbout = {
  readonly machineId: string;
  /** Ms since 1970. */
  readonly now: number;
  readonly userAgent: string;
  readonly findings: readonly Finding[];
};

/**
 * The report as a file for support, JSON. It carries figures and kinds only: no token, no name of the player and no address of anybody.
 * Times are seconds before the file was made.
 */
export function supportFile(report: LinkReport, { machineId, now, userAgent, findings }: SupportAbout): string {
  const ago = (at: number): number => Math.round((now - at) / 100) / 10;
  const { readout, press, path } = report;
  return JSON.stringify(
    {
      what: "longarm connection report",
      at: new Date(now).toISOString(),
      machineId,
      userAgent,
      readout,
      press: press ?? null,
      path,
      samples: report.samples.map(({ at, ...sample }) => ({ secondsAgo: ago(at), ...sample })),
      events: report.events.map(({ at, what }) => ({ secondsAgo: ago(at), what })),
      selfTest: findings,
    },
    null,
    2,
  );
}
