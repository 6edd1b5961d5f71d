import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../clock.ts";

const HOUR_MS = 3_600_000;

/** Addresses of stills that an `<img>` can load: it sends no token, so each carries a signature that is good for one to two hours. */
export interface StillLinks {
  /** The same text until the picture or the hour changes, so that the browser keeps what it has. */
  linkTo(machineId: string, tag: string): string;
  holds(machineId: string, query: { readonly until?: string | undefined; readonly sign?: string | undefined }): boolean;
}

export function createStillLinks(secret: Buffer, clock: Clock): StillLinks {
  const signatureOf = (machineId: string, until: string) =>
    createHmac("sha256", secret).update(`still ${machineId} ${until}`).digest("base64url");
  return {
    linkTo(machineId, tag) {
      const until = String((Math.floor(clock.now() / HOUR_MS) + 2) * HOUR_MS);
      const query = new URLSearchParams({ v: tag, until, sign: signatureOf(machineId, until) });
      return `/v1/machine/${encodeURIComponent(machineId)}/still?${query}`;
    },
    holds(machineId, { until, sign }) {
      if (until === undefined || sign === undefined || !/^\d{13}$/.test(until)) return false;
      const given = Buffer.from(sign);
      const wanted = Buffer.from(signatureOf(machineId, until));
      return given.length === wanted.length && timingSafeEqual(given, wanted) && Number(until) > clock.now();
    },
  };
}
