import * as z from "zod/mini";

/* Video of machines for others: WHEP (draft-ietf-wish-whep-04), in the manner of RFC 9725 (docs/video-for-others.md, record 0248). */

/** A POST of an offer here begins to watch a machine. */
export const WHEP_PATH = "/whep/{machine}";
/** One watch, as `Location` names it: PATCH and DELETE. */
export const WHEP_WATCH_PATH = "/whep/{machine}/{watch}";

/** An offer and an answer. */
export const SDP_TYPE = "application/sdp";
/** Candidates, or an ICE restart (RFC 8840). */
export const FRAGMENT_TYPE = "application/trickle-ice-sdpfrag";

/** The largest fragment, bytes. */
export const FRAGMENT_BYTES_MAX = 8_192;
/** Candidates that one offer or restart may bring; a browser finds a handful. */
export const CANDIDATES_MAX = 32;

/** Every expected refusal, by name. */
export const whepProblems = {
  "key.wrong": { status: 401, title: "The bearer token is missing, wrong or over" },
  "machine.unknown": { status: 404, title: "There is no such machine that this token may watch" },
  "machine.unreachable": { status: 503, title: "The machine cannot be reached now" },
  "places.taken": { status: 503, title: "No place to watch this machine is free" },
  "key.places": { status: 429, title: "As many machines are watched with this token as it may" },
  "watch.unknown": { status: 404, title: "There is no such watch, or it is over" },
  "type.wrong": { status: 415, title: "The body is of another type than this address takes" },
  "body.tooLarge": { status: 413, title: "The body is too large" },
  "offer.malformed": { status: 400, title: "The offer cannot be answered" },
  "offer.codec": { status: 406, title: "The offer receives neither H.264 nor VP8" },
  "fragment.malformed": { status: 400, title: "The fragment cannot be read" },
  "tag.missing": { status: 428, title: "If-Match is missing" },
  "tag.other": { status: 412, title: "If-Match names an ICE session that is over" },
  "request.tooMany": { status: 429, title: "Too many requests" },
  "request.invalid": { status: 400, title: "The request is not understood" },
  "method.unknown": { status: 405, title: "This address does not know the method" },
  "request.failed": { status: 500, title: "The request failed on our side" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;
export type WhepProblemName = keyof typeof whepProblems;

/** The answer of every refusal, `application/problem+json` (RFC 9457). */
export const WhepProblem = z.object({
  /** `urn:longarm:problem:` and a name of the list; it may get more. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
});
