import type { RepairStream, VideoCodec } from "../../ports/transport.ts";
import { OfferProblem } from "../../ports/transport.ts";

/** What a media section of the offer is for. */
type SectionRole = "video" | "audio" | "roomCamera" | "data";

/** One media section, reduced to what the agent answers. */
export interface OfferedSection {
  readonly role: SectionRole;
  readonly mid: string;
  /** The one codec the agent will send; null for data, and for a section without a codec of ours. */
  readonly codec: ChosenCodec | null;
  /** Payload type of repair packets (`flexfec-03`) for the machine's video; null where the browser cannot receive them. */
  readonly repairType: number | null;
  /** Whether the browser wants to receive now: a room camera, or the video of a hidden page, is switched off and on by further offers. */
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
/** A number of each packet of the connection, by which the browser reports when it arrived. */
export const TRANSPORT_SEQUENCE_URI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

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
  const text = readSdpLines(sdp, "offer");
  const sections: OfferedSection[] = [];
  for (const media of text.media) sections.push(readSection(media, sections, preferredCodec));
  const video = sections.find((section) => section.role === "video");
  if (video && !video.codec) throw new OfferProblem("The offer has neither H.264 (packetization-mode 1) nor VP8.");
  requireBundle(text, sections);
  return {
    sections,
    videoCodec: videoCodecOf(video),
    ...readTransport(text),
  };
}

const readTransport = (text: SdpText): Pick<Offer, "iceUfrag" | "icePwd" | "fingerprint" | "candidates"> => ({
  iceUfrag: required(text, "ice-ufrag", ICE_UFRAG),
  icePwd: required(text, "ice-pwd", ICE_PWD),
  fingerprint: readFingerprint(text),
  candidates: text.media
    .flatMap((media) => media.attributes)
    .filter((attribute) => attribute.name === "candidate")
    .map((attribute) => `candidate:${attribute.value}`),
});

/** The video codec of a section, as the port names it; null without a section. */
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
  if (media.portNumber === 0 && !isBundleOnly(media, before))
    throw new OfferProblem("A media section of the offer is switched off (port 0); leave it out.");
  if (role === "data") return { role, mid, codec: null, repairType: null, wanted: true, extensionIds: new Map() };
  if (attributeValue(media.attributes, "rtcp-mux") === null) throw new OfferProblem("The offer does not use rtcp-mux.");
  if (media.attributes.some((attribute) => attribute.name === "simulcast" || attribute.name === "rid")) {
    throw new OfferProblem("The offer uses simulcast; offer plain recvonly sections.");
  }
  const codec = role === "audio" ? chooseSound(media) : chooseVideo(media, preferred);
  const repairType = role === "video" && codec !== null ? chooseRepair(media, codec) : null;
  return { role, mid, codec, repairType, wanted: wantsToReceive(media), extensionIds: readExtensions(media, role) };
}

/** RFC 8843: a section behind the first one that only comes with the bundle has port 0 too; GStreamer offers such. */
const isBundleOnly = ({ attributes }: MediaSection, before: readonly OfferedSection[]): boolean =>
  before.length > 0 && attributes.some(({ name, value }) => name === "bundle-only" && value === "");

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
function readExtensions(media: MediaSection, role: SectionRole): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  for (const { name, value } of media.attributes) {
    if (name !== "extmap") continue;
    const [, id = "", uri = ""] = EXTENSION.exec(value) ?? [];
    // Only the machine's video follows the link.
    const known = uri === PLAYOUT_DELAY_URI || (uri === TRANSPORT_SEQUENCE_URI && role === "video");
    const used = [...ids.values()].includes(Number(id));
    if (known && Number(id) >= 1 && Number(id) <= 14 && !ids.has(uri) && !used) ids.set(uri, Number(id));
  }
  return ids;
}

function requireBundle(text: SdpText, sections: readonly OfferedSection[]): void {
  const group = text.attributes.find(({ name, value }) => name === "group" && value.startsWith("BUNDLE "));
  const members = new Set(group?.value.split(" ").slice(1));
  if (!sections.every((section) => members.has(section.mid))) {
    throw new OfferProblem(`The ${text.kind}'s media sections are not in one BUNDLE group.`);
  }
}

/** A transport value of the bundle: of its first section, or of the session. */
function required(text: SdpText, name: string, shape: RegExp): string {
  const value = transportValue(text, name);
  if (!shape.test(value)) throw new OfferProblem(`The ${text.kind}'s a=${name} is missing or malformed.`);
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
    throw new OfferProblem(`The ${text.kind}'s a=fingerprint is missing or malformed (sha-256, sha-384 or sha-512).`);
  }
  return { algorithm: algorithm.toLowerCase(), value: value.toUpperCase() };
}

/** The one codec of a section that the agent answers with. */
interface ChosenCodec {
  readonly name: "H264" | "VP8" | "opus";
  /** 0 to 127, as the browser numbered it. */
  readonly payloadType: number;
  /** Format parameters for the answer, without the payload type; empty when none. */
  readonly parameters: string;
}

interface OfferedFormat {
  readonly payloadType: number;
  readonly encoding: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Formats looked at in one section; a browser lists about 25. */
const FORMATS_MAX = 64;

const SOUND_PARAMETERS = "minptime=10;useinbandfec=1";

/** Opus of a section, or null. */
function chooseSound(media: MediaSection): ChosenCodec | null {
  const opus = readFormats(media).find((format) => format.encoding === "opus/48000/2");
  return opus ? { name: "opus", payloadType: opus.payloadType, parameters: SOUND_PARAMETERS } : null;
}

/** The preferred video codec of a section where the offer has it, else the other, else null. */
function chooseVideo(media: MediaSection, preferred: VideoCodec): ChosenCodec | null {
  const formats = readFormats(media);
  const h264 = chooseH264(formats);
  const vp8 = formats.find((format) => format.encoding === "vp8/90000");
  const chosenVp8: ChosenCodec | null = vp8 ? { name: "VP8", payloadType: vp8.payloadType, parameters: "" } : null;
  return preferred === "vp8" ? (chosenVp8 ?? h264) : (h264 ?? chosenVp8);
}

/** Level 3.1 carries 1280 × 720 at 30 frames a second. */
const H264_PARAMETERS = "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f";

/** Constrained baseline in packetization mode 1: what the encoder writes. Plain baseline can decode it too. */
function chooseH264(formats: readonly OfferedFormat[]): ChosenCodec | null {
  const usable = formats.filter(
    (format) => format.encoding === "h264/90000" && format.parameters.get("packetization-mode") === "1",
  );
  const profileOf = (format: OfferedFormat) => (format.parameters.get("profile-level-id") ?? "42e01f").toLowerCase();
  const chosen =
    usable.find((format) => profileOf(format) === "42e01f") ??
    usable.find((format) => /^42[0-9a-f]{4}$/.test(profileOf(format)));
  return chosen ? { name: "H264", payloadType: chosen.payloadType, parameters: H264_PARAMETERS } : null;
}

function chooseRepair(media: MediaSection, codec: ChosenCodec): number | null {
  const repair = readFormats(media).find(({ encoding }) => encoding === "flexfec-03/90000");
  return repair === undefined || repair.payloadType === codec.payloadType ? null : repair.payloadType;
}

function readFormats(media: MediaSection): OfferedFormat[] {
  const encodings = new Map<number, string>();
  const parameters = new Map<number, ReadonlyMap<string, string>>();
  for (const { name, value } of media.attributes) {
    if (name !== "rtpmap" && name !== "fmtp") continue;
    const space = value.indexOf(" ");
    const payloadType = readPayloadType(value.slice(0, space));
    if (payloadType === null) continue;
    const rest = value.slice(space + 1).trim();
    if (name === "rtpmap") encodings.set(payloadType, rest.toLowerCase());
    else parameters.set(payloadType, readParameters(rest));
  }
  return media.formats
    .slice(0, FORMATS_MAX)
    .map(readPayloadType)
    .filter((payloadType) => payloadType !== null)
    .map((payloadType) => ({
      payloadType,
      encoding: encodings.get(payloadType) ?? "",
      parameters: parameters.get(payloadType) ?? new Map<string, string>(),
    }));
}

/** Null for anything outside 0 to 127, and for 64 to 95, which RTCP needs (RFC 5761). */
function readPayloadType(text: string): number | null {
  if (!/^\d{1,3}$/.test(text)) return null;
  const value = Number(text);
  return value <= 127 && !(value >= 64 && value <= 95) ? value : null;
}

function readParameters(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(";").map((part) => part.trim().split("="));
  return new Map(pairs.map(([name = "", value = ""]) => [name, value]));
}

/** Largest offer, bytes; a browser's with three media sections is about 9 KB. */
const SDP_BYTES_MAX = 16 * 1024;
/** Largest number of media sections: video, audio, room camera, data. */
const MEDIA_SECTIONS_MAX = 4;
const LINES_MAX = 1000;
const LINE_CHARS_MAX = 1024;

/** One `a=` line: `name` or `name:value`. */
interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** One media section of the SDP text. */
interface MediaSection {
  readonly kind: string;
  readonly portNumber: number;
  readonly protocol: string;
  readonly formats: readonly string[];
  readonly attributes: readonly Attribute[];
}

interface SdpText {
  /** For sentences. */
  readonly kind: "offer" | "answer";
  readonly attributes: readonly Attribute[];
  readonly media: readonly MediaSection[];
}

/**
 * Splits an SDP into its sections, in one pass and within limits. Rejects with an `OfferProblem`: this runs before any
 * other code sees the text, because a text of many sections keeps a real SDP parser busy for minutes (measured).
 */
function readSdpLines(sdp: string, kind: SdpText["kind"]): SdpText {
  if (typeof sdp !== "string" || sdp.length === 0) throw new OfferProblem(`The ${kind} is empty; send an SDP.`);
  if (sdp.length > SDP_BYTES_MAX) {
    throw new OfferProblem(`The ${kind} is longer than ${SDP_BYTES_MAX} bytes; send fewer codecs or candidates.`);
  }
  if (/[^\x20-\x7e\r\n\t]/.test(sdp)) throw new OfferProblem(`The ${kind} holds characters that no SDP has.`);
  const lines = sdp.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length > LINES_MAX || lines.some((line) => line.length > LINE_CHARS_MAX)) {
    throw new OfferProblem(`The ${kind} has over ${LINES_MAX} lines or a line over ${LINE_CHARS_MAX} characters.`);
  }
  if (lines[0] !== "v=0") throw new OfferProblem(`The ${kind} does not start with v=0; send the SDP unchanged.`);
  return { kind, ...splitSections(lines, kind) };
}

function splitSections(lines: readonly string[], kind: SdpText["kind"]): Omit<SdpText, "kind"> {
  const attributes: Attribute[] = [];
  const media: (MediaSection & { attributes: Attribute[] })[] = [];
  for (const line of lines) {
    if (line.startsWith("m=")) {
      if (media.length >= MEDIA_SECTIONS_MAX) {
        throw new OfferProblem(`The ${kind} has more than ${MEDIA_SECTIONS_MAX} media sections.`);
      }
      media.push({ ...readMediaLine(line, kind), attributes: [] });
    } else if (line.startsWith("a=")) {
      (media.at(-1)?.attributes ?? attributes).push(readAttribute(line));
    }
  }
  if (media.length === 0) throw new OfferProblem(`The ${kind} has no media section; it needs the machine's video.`);
  return { attributes, media };
}

function readMediaLine(line: string, sdp: SdpText["kind"]): Omit<MediaSection, "attributes"> {
  const [kind = "", port = "", protocol = "", ...formats] = line.slice(2).split(" ");
  const portNumber = Number(port);
  if (!Number.isInteger(portNumber) || portNumber < 0 || portNumber > 65_535 || formats.length === 0) {
    throw new OfferProblem(`A media line of the ${sdp} is malformed.`);
  }
  return { kind, portNumber, protocol, formats };
}

function readAttribute(line: string): Attribute {
  const colon = line.indexOf(":");
  return colon < 0 ? { name: line.slice(2), value: "" } : { name: line.slice(2, colon), value: line.slice(colon + 1) };
}

/** The value of the first attribute of this name, or null. */
function attributeValue(attributes: readonly Attribute[], name: string): string | null {
  return attributes.find((attribute) => attribute.name === name)?.value ?? null;
}

const FEEDBACK = ["nack", "nack pli", "ccm fir", "transport-cc"];

/**
 * The offer, rebuilt from what was read of it: one codec a section, known attributes only, no candidates. The WebRTC
 * library sees this text and never the browser's, so nothing hostile and nothing unknown reaches its parser.
 */
export function rebuildOffer(offer: Offer): string {
  const mids = offer.sections.map((section) => section.mid).join(" ");
  const lines = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", `a=group:BUNDLE ${mids}`];
  for (const section of offer.sections) lines.push(...sectionLines(offer, section));
  return `${lines.join("\r\n")}\r\n`;
}

function sectionLines(offer: Offer, section: OfferedSection): string[] {
  const transport = transportLines(offer, section, "actpass");
  if (section.role === "data") {
    return [
      "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
      ...transport,
      "a=sctp-port:5000",
      "a=max-message-size:65536",
    ];
  }
  return mediaLines(section, transport);
}

type Transport = Pick<Offer, "iceUfrag" | "icePwd" | "fingerprint">;

function transportLines({ iceUfrag, icePwd, fingerprint }: Transport, { mid }: OfferedSection, setup: string) {
  return [
    "c=IN IP4 0.0.0.0",
    `a=ice-ufrag:${iceUfrag}`,
    `a=ice-pwd:${icePwd}`,
    "a=ice-options:trickle",
    `a=fingerprint:${fingerprint.algorithm} ${fingerprint.value}`,
    `a=setup:${setup}`,
    `a=mid:${mid}`,
  ];
}

function mediaLines({ role, codec, wanted, extensionIds }: OfferedSection, transport: readonly string[]): string[] {
  const kind = role === "audio" ? "audio" : "video";
  // Without a codec of ours the section is answered as rejected.
  if (!codec) return [`m=${kind} 0 UDP/TLS/RTP/SAVPF 0`, ...transport, "a=inactive", "a=rtcp-mux"];
  const payloadType = codec.payloadType;
  const encoding = codec.name === "opus" ? "opus/48000/2" : `${codec.name}/90000`;
  return [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    ...transport,
    ...[...extensionIds].map(([uri, id]) => `a=extmap:${id} ${uri}`),
    `a=${wanted ? "recvonly" : "inactive"}`,
    "a=rtcp-mux",
    `a=rtpmap:${payloadType} ${encoding}`,
    ...(kind === "video" ? FEEDBACK.map((feedback) => `a=rtcp-fb:${payloadType} ${feedback}`) : []),
    ...(codec.parameters === "" ? [] : [`a=fmtp:${payloadType} ${codec.parameters}`]),
  ];
}

/** What the agent offers a media server: the machine's video, which it encodes anyway, and its sound. */
export const PUBLISHED: readonly OfferedSection[] = [
  {
    role: "video",
    mid: "0",
    codec: { name: "H264", payloadType: 108, parameters: H264_PARAMETERS },
    repairType: null,
    wanted: true,
    extensionIds: new Map(),
  },
  {
    role: "audio",
    mid: "1",
    codec: { name: "opus", payloadType: 111, parameters: SOUND_PARAMETERS },
    repairType: null,
    wanted: true,
    extensionIds: new Map(),
  },
];

/** A media server's answer, read and checked: the only thing of it that goes on. */
export interface Answer extends Offer {
  /** Whether its side begins the DTLS handshake. */
  readonly setup: "active" | "passive";
  /** It only answers checks of ours (RFC 8445, 2.5). */
  readonly iceLite: boolean;
}

/**
 * Reads the answer to an offer of `PUBLISHED`. Rejects with an `OfferProblem` that says what is wrong: other sections than were offered, video that
 * is not taken, and everything that an offer of a browser is rejected for. A section of sound may be refused.
 */
export function readAnswer(sdp: string): Answer {
  const text = readSdpLines(sdp, "answer");
  if (text.media.length !== PUBLISHED.length) throw new OfferProblem("The answer has other sections than the offer.");
  const sections = PUBLISHED.map((offered, at) => readAnswered(offered, text.media[at]));
  if (sections[0]?.codec === null) throw new OfferProblem("The answer does not take the video (H.264).");
  requireBundle(
    text,
    sections.filter(({ codec }) => codec !== null),
  );
  const setup = transportValue(text, "setup");
  if (setup !== "active" && setup !== "passive")
    throw new OfferProblem("The answer's a=setup is missing or malformed.");
  return {
    ...{ sections, setup, videoCodec: "h264" },
    iceLite: attributeValue(text.attributes, "ice-lite") !== null,
    ...readTransport(text),
  };
}

function readAnswered(offered: OfferedSection, media: MediaSection | undefined): OfferedSection {
  const { role, mid, codec } = offered;
  if (media?.kind !== role || attributeValue(media.attributes, "mid") !== mid)
    throw new OfferProblem("The answer has other sections than the offer.");
  const taken = media.portNumber !== 0 && wantsToReceive(media) && media.formats.includes(`${codec?.payloadType}`);
  if (!taken) return { ...offered, codec: null, wanted: false };
  if (attributeValue(media.attributes, "rtcp-mux") === null)
    throw new OfferProblem("The answer does not use rtcp-mux.");
  return { ...offered, extensionIds: readExtensions(media, role) };
}

/** The answer, rebuilt from what was read of it as an offer is; with the given candidates. */
export function rebuildAnswer(answer: Answer, candidates: readonly string[]): string {
  const mids = answer.sections.flatMap(({ codec, mid }) => (codec === null ? [] : [mid])).join(" ");
  const lines = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", `a=group:BUNDLE ${mids}`];
  if (answer.iceLite) lines.push("a=ice-lite");
  for (const [at, section] of answer.sections.entries()) {
    lines.push(...mediaLines(section, transportLines(answer, section, answer.setup)));
    if (at === 0) lines.push(...candidates.map((candidate) => `a=${candidate}`));
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** The stream of the repair packets beside that of the machine's video; null where the browser cannot receive them. */
export function repairStreamOf({ repairType }: OfferedSection, ssrc: number): RepairStream | null {
  return repairType === null ? null : { payloadType: repairType, ssrc: (ssrc + 1) % 2 ** 32 };
}

/** How far apart a repair packet and its media packets may be, microseconds: the browser keeps so much of both. */
const REPAIR_WINDOW_US = 1_000_000;

/** The answer, with the repair packets of the video whose SSRC is `ssrc`: the WebRTC library does not know them. */
export function answerWithRepair(sdp: string, section: OfferedSection, ssrc: number): string {
  const repair = repairStreamOf(section, ssrc);
  if (repair === null) return sdp;
  const { payloadType } = repair;
  const [session = "", ...media] = sdp.split(/^(?=m=)/m);
  const mine = (text: string) => text.split(/\r?\n/).includes(`a=mid:${section.mid}`);
  const cname = new RegExp(`^a=ssrc:${ssrc} cname:(\\S+)`, "m").exec(sdp)?.[1];
  const lines = [
    `a=rtpmap:${payloadType} flexfec-03/90000`,
    `a=fmtp:${payloadType} repair-window=${REPAIR_WINDOW_US}`,
    ...(cname === undefined
      ? []
      : [`a=ssrc-group:FEC-FR ${ssrc} ${repair.ssrc}`, `a=ssrc:${repair.ssrc} cname:${cname}`]),
  ];
  const added = media.map((text) =>
    mine(text)
      ? `${text.replace(/^(m=video .*?)(\r?\n)/, `$1 ${payloadType}$2`)}${lines.map((line) => `${line}\r\n`).join("")}`
      : text,
  );
  return [session, ...added].join("");
}
