import type { VideoCodec } from "../../ports/transport.ts";
import { OfferProblem } from "../../ports/transport.ts";
import type { ChosenCodec } from "./offered-codecs.ts";
import { chooseSound, chooseVideo } from "./offered-codecs.ts";
import type { MediaSection, SdpText } from "./sdp-lines.ts";
import { attributeValue, readSdpLines } from "./sdp-lines.ts";

/** What a media section of the offer is for. */
export type SectionRole = "video" | "audio" | "roomCamera" | "data";

/** One media section, reduced to what the agent answers. */
export interface OfferedSection {
  readonly role: SectionRole;
  readonly mid: string;
  /** The one codec the agent will send; null for data, and for a section without a codec of ours. */
  readonly codec: ChosenCodec | null;
  /** Whether the browser wants to receive now: a room camera, or the picture of a hidden page, is switched off and on by further offers. */
  readonly wanted: boolean;
  /** Ids of the header extensions the agent uses, by URI. */
  readonly extensionIds: ReadonlyMap<string, number>;
}

/** A browser's offer, read and checked: the only thing of it that goes on. */
export interface Offer {
  readonly sections: readonly OfferedSection[];
  readonly videoCodec: VideoCodec | null;
  readonly iceUfrag: string;
  readonly icePwd: string;
  readonly fingerprint: { readonly algorithm: string; readonly value: string };
  /** Candidate lines inside the offer, unread, without `a=`. */
  readonly candidates: readonly string[];
}

export const PLAYOUT_DELAY_URI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay";
export const ABS_SEND_TIME_URI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time";

const MID = /^[A-Za-z0-9_-]{1,16}$/;
const ICE_UFRAG = /^[A-Za-z0-9+/]{4,256}$/;
const ICE_PWD = /^[A-Za-z0-9+/]{22,256}$/;
const FINGERPRINT_BYTES: Readonly<Record<string, number>> = { "sha-256": 32, "sha-384": 48, "sha-512": 64 };
const DIRECTIONS: ReadonlySet<string> = new Set(["sendrecv", "recvonly", "sendonly", "inactive"]);
const EXTENSION = /^(\d{1,2})(?:\/[a-z]+)? (\S{1,200})/;

/**
 * Reads a browser's offer. Rejects with an `OfferProblem` that says what is wrong: sizes and numbers of sections, kinds,
 * doubled mids, missing or malformed ICE and DTLS values, sections outside the bundle, no codec for the video.
 */
export function readOffer(sdp: string, preferredCodec: VideoCodec = "h264"): Offer {
  const text = readSdpLines(sdp);
  const sections: OfferedSection[] = [];
  for (const media of text.media) sections.push(readSection(media, sections, preferredCodec));
  const video = sections.find((section) => section.role === "video");
  if (video && !video.codec) throw new OfferProblem("The offer has neither H.264 (packetization-mode 1) nor VP8.");
  requireBundle(text, sections);
  return {
    sections,
    videoCodec: videoCodecOf(video),
    iceUfrag: required(text, "ice-ufrag", ICE_UFRAG),
    icePwd: required(text, "ice-pwd", ICE_PWD),
    fingerprint: readFingerprint(text),
    candidates: text.media
      .flatMap((media) => media.attributes)
      .filter((attribute) => attribute.name === "candidate")
      .map((attribute) => `candidate:${attribute.value}`),
  };
}

/** The video codec of a section in the words of the port; null without a section. */
export function videoCodecOf(video: OfferedSection | undefined): VideoCodec | null {
  if (!video) return null;
  return video.codec?.name === "H264" ? "h264" : "vp8";
}

function readSection(media: MediaSection, before: readonly OfferedSection[], preferred: VideoCodec): OfferedSection {
  const mid = attributeValue(media.attributes, "mid") ?? "";
  if (!MID.test(mid))
    throw new OfferProblem("A media section of the offer has no usable a=mid (1 to 16 letters or digits).");
  if (before.some((section) => section.mid === mid))
    throw new OfferProblem("Two media sections of the offer share a mid.");
  const role = roleOf(media, before);
  if (media.portNumber === 0)
    throw new OfferProblem("A media section of the offer is switched off (port 0); leave it out.");
  if (role === "data") return { role, mid, codec: null, wanted: true, extensionIds: new Map() };
  if (attributeValue(media.attributes, "rtcp-mux") === null) throw new OfferProblem("The offer does not use rtcp-mux.");
  if (media.attributes.some((attribute) => attribute.name === "simulcast" || attribute.name === "rid")) {
    throw new OfferProblem("The offer uses simulcast; offer plain recvonly sections.");
  }
  const codec = role === "audio" ? chooseSound(media) : chooseVideo(media, preferred);
  return { role, mid, codec, wanted: wantsToReceive(media), extensionIds: readExtensions(media) };
}

/** RFC 8866: a section without a direction sends and receives. */
function wantsToReceive({ attributes }: MediaSection): boolean {
  const direction = attributes.find(({ name }) => DIRECTIONS.has(name))?.name ?? "sendrecv";
  return direction === "sendrecv" || direction === "recvonly";
}

function roleOf(media: MediaSection, before: readonly OfferedSection[]): SectionRole {
  const isRtp = media.protocol === "UDP/TLS/RTP/SAVPF";
  const taken = (role: SectionRole) => before.some((section) => section.role === role);
  if (media.kind === "audio" && isRtp && !taken("audio")) return "audio";
  if (media.kind === "video" && isRtp && !taken("video")) return "video";
  if (media.kind === "video" && isRtp && !taken("roomCamera")) return "roomCamera";
  if (media.kind === "application" && /^(UDP|TCP)?\/?DTLS\/SCTP$/.test(media.protocol) && !taken("data")) return "data";
  throw new OfferProblem(
    "The offer has a media section that is not wanted here (one video, one audio, one room camera, data).",
  );
}

/** A wrong id silently costs the low delay, so ids outside the one-byte form are passed over. */
function readExtensions(media: MediaSection): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  for (const { name, value } of media.attributes) {
    if (name !== "extmap") continue;
    const [, id = "", uri = ""] = EXTENSION.exec(value) ?? [];
    const known = uri === PLAYOUT_DELAY_URI || uri === ABS_SEND_TIME_URI;
    const used = [...ids.values()].includes(Number(id));
    if (known && Number(id) >= 1 && Number(id) <= 14 && !ids.has(uri) && !used) ids.set(uri, Number(id));
  }
  return ids;
}

function requireBundle(text: SdpText, sections: readonly OfferedSection[]): void {
  const group = text.attributes.find(({ name, value }) => name === "group" && value.startsWith("BUNDLE "));
  const members = new Set(group?.value.split(" ").slice(1));
  if (!sections.every((section) => members.has(section.mid))) {
    throw new OfferProblem("The offer's media sections are not in one BUNDLE group.");
  }
}

/** A transport value of the bundle: of its first section, or of the session. */
function required(text: SdpText, name: string, shape: RegExp): string {
  const value = transportValue(text, name);
  if (!shape.test(value)) throw new OfferProblem(`The offer's a=${name} is missing or malformed.`);
  return value;
}

const transportValue = (text: SdpText, name: string) =>
  attributeValue(text.media[0]?.attributes ?? [], name) ?? attributeValue(text.attributes, name) ?? "";

function readFingerprint(text: SdpText): Offer["fingerprint"] {
  const [algorithm = "", value = ""] = transportValue(text, "fingerprint").split(" ");
  const bytes = Object.hasOwn(FINGERPRINT_BYTES, algorithm.toLowerCase())
    ? FINGERPRINT_BYTES[algorithm.toLowerCase()]
    : 0;
  const pairs = value.split(":");
  if (!bytes || pairs.length !== bytes || !pairs.every((pair) => /^[0-9A-Fa-f]{2}$/.test(pair))) {
    throw new OfferProblem("The offer's a=fingerprint is missing or malformed (sha-256, sha-384 or sha-512).");
  }
  return { algorithm: algorithm.toLowerCase(), value: value.toUpperCase() };
}
