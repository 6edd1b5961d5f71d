import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OfferProblem } from "../../ports/transport.ts";
import { goodOffer, offerOf, offerSections } from "../testing/offers.ts";
import {
  answerWithRepair,
  PLAYOUT_DELAY_URI,
  readAnswer,
  readOffer,
  rebuildAnswer,
  rebuildOffer,
  repairStreamOf,
  TRANSPORT_SEQUENCE_URI,
} from "./offer.ts";

const { video, audio, data } = offerSections;
const edit = (from: string | RegExp, to: string) => goodOffer().replace(from, to);
const editAll = (from: string | RegExp, to: string) => goodOffer().replaceAll(from, to);

const withRepair = (type: string) =>
  edit("RTP/SAVPF 96 97 102 108", `RTP/SAVPF 96 97 102 ${type === "108" ? "" : "108 "}${type}`).replace(
    "a=rtpmap:96",
    `a=rtpmap:${type} flexfec-03/90000\r\na=rtpmap:96`,
  );

describe("a browser's offer", () => {
  test("is reduced to one codec a section, the two extensions and the transport", () => {
    const offer = readOffer(goodOffer());
    expect(offer.videoCodec).toBe("h264");
    expect(offer.sections.map(({ role, mid, codec }) => [role, mid, codec?.payloadType])).toEqual([
      ["video", "0", 108],
      ["audio", "1", 111],
      ["data", "2", undefined],
    ]);
    expect([...offer.sections[0]!.extensionIds]).toEqual([
      [TRANSPORT_SEQUENCE_URI, 2],
      [PLAYOUT_DELAY_URI, 5],
    ]);
    expect(offer.candidates).toHaveLength(1);
  });

  test("takes VP8 when it is preferred or all there is", () => {
    expect(readOffer(goodOffer(), "vp8").sections[0]!.codec?.payloadType).toBe(96);
    const noH264 = editAll(/H264\/90000/g, "H265/90000");
    expect(readOffer(noH264).videoCodec).toBe("vp8");
  });

  test("calls a second video the room camera", () => {
    const room = video.map((line) => line.replace("a=mid:0", "a=mid:3"));
    const offer = readOffer(offerOf([video, audio, room, data], "0 1 2 3"));
    expect(offer.sections.map(({ role }) => role)).toEqual(["video", "audio", "roomCamera", "data"]);
    expect(rebuildOffer(offer)).not.toContain("a=inactive");
    const off = readOffer(
      offerOf([video, audio, room.map((line) => line.replace("recvonly", "inactive")), data], "0 1 2 3"),
    );
    expect(off.sections[2]?.wanted).toBe(false);
    expect(rebuildOffer(off).split("m=video")[2]).toContain("a=inactive");
  });

  test("is written anew without anything that was not read", () => {
    const text = rebuildOffer(readOffer(edit("s=-", "s=<script>\r\na=x-evil:1")));
    expect(text).not.toContain("evil");
    expect(text).not.toContain("candidate");
    expect(text).not.toContain("VP8");
    expect(readOffer(text).sections).toHaveLength(3);
  });

  test("with repair packets has its answer name their stream beside the video's, and nowhere else", () => {
    const offer = readOffer(withRepair("49"));
    const [machine, sound] = offer.sections;
    expect([machine!.repairType, sound!.repairType]).toEqual([49, null]);
    expect(repairStreamOf(machine!, 0xffffffff)).toEqual({ payloadType: 49, ssrc: 0 });
    const answer = offerOf([
      ["m=video 9 UDP/TLS/RTP/SAVPF 108", "a=mid:0", "a=ssrc:7 cname:ab-c"],
      ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:1", "a=ssrc:9 cname:ab-c"],
    ]);
    const [head, first, second] = answerWithRepair(answer, machine!, 7).split(/^(?=m=)/m);
    expect(head).toBe(answer.split(/^(?=m=)/m)[0]);
    expect(first!.split("\r\n")).toEqual([
      "m=video 9 UDP/TLS/RTP/SAVPF 108 49",
      "a=mid:0",
      "a=ssrc:7 cname:ab-c",
      "a=rtpmap:49 flexfec-03/90000",
      "a=fmtp:49 repair-window=1000000",
      "a=ssrc-group:FEC-FR 7 8",
      "a=ssrc:8 cname:ab-c",
      "",
    ]);
    expect(second).toBe(answer.split(/^(?=m=)/m)[2]);
    expect(answerWithRepair(answer, readOffer(goodOffer()).sections[0]!, 7)).toBe(answer);
  });

  test("takes a section that only comes with the bundle, as GStreamer offers it", () => {
    const bundleOnly = goodOffer().replace("m=audio 9", "m=audio 0").replace("a=mid:1", "a=bundle-only\r\na=mid:1");
    expect(readOffer(bundleOnly)).toEqual(readOffer(goodOffer()));
    expect(rebuildOffer(readOffer(bundleOnly))).toBe(rebuildOffer(readOffer(goodOffer())));
  });

  test.each(["108", "200", "72", "x", ""])("takes no repair packets of payload type %j", (type) => {
    expect(readOffer(withRepair(type)).sections[0]!.repairType).toBeNull();
  });

  test("keeps a wrong extension id out", () => {
    const offer = readOffer(edit("extmap:5 ", "extmap:15 "));
    expect(offer.sections[0]!.extensionIds.has(PLAYOUT_DELAY_URI)).toBe(false);
    const doubled = readOffer(edit("extmap:5 ", "extmap:2 "));
    expect(doubled.sections[0]!.extensionIds.size).toBe(1);
  });
});

describe("a hostile offer is refused with a sentence", () => {
  const manySections = (count: number) =>
    offerOf(Array.from({ length: count }, (_, at) => [`m=video 9 UDP/TLS/RTP/SAVPF 96`, `a=mid:${at}`]));
  const cases: [string, string][] = [
    ["empty", ""],
    ["garbage", "\u0000\u0001garbage"],
    ["prose", "please connect me"],
    ["too long", goodOffer() + "a=x:1\r\n".repeat(3000)],
    ["five sections", manySections(5)],
    ["three hundred sections", manySections(300)],
    ["a very long line", edit("s=-", `s=${"x".repeat(2000)}`)],
    ["too many lines", edit("s=-", `s=-\r\n${"a=x\r\n".repeat(1200)}`)],
    ["no section", offerOf([])],
    ["unknown kind", edit("m=audio", "m=text")],
    ["unknown protocol", edit("m=audio 9 UDP/TLS/RTP/SAVPF", "m=audio 9 RTP/AVP")],
    ["two audio sections", offerOf([video, audio, audio.map((line) => line.replace("mid:1", "mid:2"))])],
    ["a bad port", edit("m=video 9", "m=video 99999")],
    ["a section switched off", edit("m=video 9", "m=video 0")],
    ["a later section switched off", edit("m=audio 9", "m=audio 0")],
    ["a first section only with the bundle", edit(/m=video 9(.*)/, "m=video 0$1\r\na=bundle-only")],
    ["no formats", edit(/m=audio.*/, "m=audio 9 UDP/TLS/RTP/SAVPF")],
    ["doubled mids", edit("a=mid:1", "a=mid:0")],
    ["a mid called __proto__ and longer", edit("a=mid:1", "a=mid:__proto____proto__")],
    ["no mid", edit("a=mid:1\r\n", "")],
    ["outside the bundle", edit("BUNDLE 0 1 2", "BUNDLE 0 1")],
    ["no bundle", edit("a=group:BUNDLE 0 1 2\r\n", "")],
    ["no rtcp-mux", edit("a=rtcp-mux\r\n", "")],
    ["simulcast", edit("a=rtcp-mux", "a=rtcp-mux\r\na=simulcast:recv 1;2")],
    ["no fingerprint", editAll(/a=fingerprint.*\r\n/g, "")],
    ["a short fingerprint", editAll(/a=fingerprint.*/g, "a=fingerprint:sha-256 AA:BB")],
    ["a fingerprint of no kind", editAll("sha-256", "constructor")],
    ["a weak fingerprint", editAll("sha-256", "md5")],
    ["no ufrag", editAll(/a=ice-ufrag.*\r\n/g, "")],
    ["a 15 kB ufrag", editAll("ice-ufrag:abcd", `ice-ufrag:${"a".repeat(5000)}`)],
    ["a ufrag with spaces", editAll("ice-ufrag:abcd", "ice-ufrag:ab cd")],
    ["a short password", editAll(/a=ice-pwd.*/g, "a=ice-pwd:short")],
    ["absurd payload types", editAll(/(rtpmap:|fmtp:)(96|102|108)/g, "$19999")],
    ["payload types of RTCP", editAll("108", "72").replaceAll("96", "73")],
  ];
  test.each(cases)("%s", (_, sdp) => {
    expect(() => readOffer(sdp)).toThrow(OfferProblem);
  });

  test("whatever line is changed, cut or doubled, reading ends with an offer or a problem", () => {
    const lines = goodOffer().split("\r\n");
    const change = fc.tuple(
      fc.nat(lines.length - 1),
      fc.constantFrom("cut", "double", "noise"),
      fc.string({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        const edited = [...lines];
        for (const [at, how, noise] of changes) {
          if (how === "cut") edited[at] = "";
          else if (how === "double") edited[at] = `${edited[at]}\r\n${edited[at]}`;
          else edited[at] = `${(edited[at] ?? "").slice(0, 6)}${noise}`;
        }
        try {
          rebuildOffer(readOffer(edited.join("\r\n")));
        } catch (problem) {
          expect(problem).toBeInstanceOf(OfferProblem);
        }
      }),
      { seed: 9, numRuns: 400 },
    );
  });
});

describe("a media server's answer", () => {
  const transport = [
    "a=ice-ufrag:abcd",
    "a=ice-pwd:abcdefghijklmnopqrstuvwx",
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`,
    "a=setup:active",
  ];
  const good = [
    "v=0",
    "o=- 1 2 IN IP4 192.0.2.7",
    "s=-",
    "t=0 0",
    "a=ice-lite",
    "a=group:BUNDLE 0 1",
    "m=video 9 UDP/TLS/RTP/SAVPF 108",
    ...transport,
    "a=mid:0",
    "a=recvonly",
    "a=rtcp-mux",
    "a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay",
    "a=extmap:9 urn:evil",
    "a=candidate:1 1 udp 2113937151 192.0.2.7 50000 typ host",
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    ...transport,
    "a=mid:1",
    "a=recvonly",
    "a=rtcp-mux",
    "",
  ].join("\r\n");

  test("is reduced to what was offered, and written anew", () => {
    const answer = readAnswer(good);
    expect(answer).toMatchObject({ setup: "active", iceLite: true, videoCodec: "h264" });
    expect([...answer.sections[0]!.extensionIds]).toEqual([[PLAYOUT_DELAY_URI, 3]]);
    const text = rebuildAnswer(answer, answer.candidates);
    expect(text).toContain("a=ice-lite");
    expect(text.split("192.0.2.7 50000")).toHaveLength(2);
    expect(text).not.toContain("evil");
  });

  test("may refuse the sound, and not the video", () => {
    const silent = readAnswer(good.replace("m=audio 9", "m=audio 0").replace("BUNDLE 0 1", "BUNDLE 0"));
    expect(silent.sections.map(({ codec }) => codec?.name)).toEqual(["H264", undefined]);
    expect(rebuildAnswer(silent, [])).toContain("m=audio 0 ");
    expect(() => readAnswer(good.replace("m=video 9", "m=video 0"))).toThrow("does not take the video");
    expect(() => readAnswer(good.replace("SAVPF 108", "SAVPF 96"))).toThrow("does not take the video");
    expect(() => readAnswer(good.replace("a=recvonly", "a=inactive"))).toThrow("does not take the video");
  });

  test.each<[string, string]>([
    ["empty", ""],
    ["a page", "<html>"],
    ["too long", good + "a=x\r\n".repeat(4_000)],
    ["a section less", good.slice(0, good.indexOf("m=audio"))],
    ["a section more", `${good}m=video 9 UDP/TLS/RTP/SAVPF 108\r\na=mid:2\r\n`],
    ["the sections in another order", good.replace("a=mid:0", "a=mid:7").replace("a=mid:1", "a=mid:0")],
    ["another mid", good.replaceAll("a=mid:0", "a=mid:x")],
    ["no bundle", good.replace("a=group:BUNDLE 0 1\r\n", "")],
    ["no role", good.replaceAll("a=setup:active", "a=setup:actpass")],
    ["no password", good.replaceAll(/a=ice-pwd:.*/g, "a=x")],
    ["a fingerprint of another length", good.replaceAll("AB:AB:", "AB:")],
    ["no rtcp-mux", good.replaceAll("a=rtcp-mux", "a=x")],
    ["lines inside a value", good.replaceAll("a=ice-ufrag:abcd", "a=ice-ufrag:ab cd")],
  ])("%s is refused with a sentence", (_what, text) => {
    expect(() => readAnswer(text)).toThrow(OfferProblem);
  });
});
