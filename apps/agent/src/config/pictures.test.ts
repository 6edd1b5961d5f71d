import { expect, test } from "vitest";
import { soundInput, videoInput } from "../sources/inputs.ts";
import { readMachines } from "./machines.ts";
import { PictureConfig, SoundConfig } from "./pictures.ts";

const nar = { driver: "simulated", id: "nar-77", name: "Nar 77", brand: "nar" };
const read = (...machines: object[]) =>
  readMachines(
    JSON.stringify(machines.map((machine) => ("floor" in machine ? machine : { demonstration: true, ...machine }))),
  );
const v4l2 = { kind: "v4l2", device: "/dev/video0" };
const rtsp = { kind: "rtsp", url: "rtsp://eye:s3cret@camera.lan/stream1" };
const x11 = { kind: "x11", display: ":0.0", region: { x: 0, y: 0, width: 1280, height: 720 } };

test("machines of one agent may each have another kind of picture", () => {
  const { machines, complaints } = read(
    { ...nar, id: "a", picture: v4l2, sound: { kind: "alsa", device: "hw:1,0" }, roomCamera: { kind: "none" } },
    { ...nar, id: "b", picture: rtsp, sound: { kind: "rtsp" }, roomCamera: { ...v4l2, device: "/dev/video2" } },
    { ...nar, id: "c", picture: x11, cutScreen: { x: 0.1, y: 0, width: 0.8, height: 1 }, videoType: "screen" },
    { ...nar, id: "d" },
    { driver: "simulated", floor: 2 },
  );
  expect(complaints).toEqual([]);
  expect(machines.map(({ picture }) => picture?.kind)).toEqual(["v4l2", "rtsp", "x11", ...Array(3).fill(undefined)]);
  expect(machines[0]?.picture).toEqual({ ...v4l2, size: { width: 1280, height: 720 }, rate: 30 });
  expect(machines[1]?.roomCamera).toMatchObject({ size: { width: 320, height: 180 }, rate: 15 });
});

const refused: [string, object, RegExp][] = [
  [
    "a device that climbs",
    { ...v4l2, device: "/dev/video0/../../etc/passwd" },
    /picture\.device: must be \/dev\/video0/,
  ],
  ["a device elsewhere", { ...v4l2, device: "/etc/passwd" }, /must be \/dev\/video0/],
  ["a device of dots", { ...v4l2, device: "/dev/v4l/by-id/.." }, /must be \/dev\/video0/],
  ["a device with a line break", { ...v4l2, device: "/dev/video0\n" }, /must be \/dev\/video0/],
  ["a huge size", { ...v4l2, size: "9998x9998" }, /between 64x64 and 1920x1088/],
  ["a long thin size", { ...v4l2, size: "4098x64" }, /between 64x64 and 1920x1088/],
  ["an odd size", { ...v4l2, size: "641x480" }, /must be even/],
  ["a size with an option behind it", { ...v4l2, size: "640x480:rate=1" }, /must be a size such as 1280x720/],
  ["a size of numbers", { ...v4l2, size: 640 }, /must be a size/],
  ["a rate of none", { ...v4l2, rate: 0 }, /must be 1 to 60/],
  ["a rate of a thousand", { ...v4l2, rate: 1000 }, /must be 1 to 60/],
  ["a rate of words", { ...v4l2, rate: "30,-1" }, /must be 1 to 60 pictures a second/],
  ["a format with an option", { ...v4l2, format: "mjpeg:foo=1" }, /is no known pixel format/],
  [
    "an option that nobody asked for",
    { ...v4l2, options: { protocol_whitelist: "file" } },
    /does not know "(options|graph)"/,
  ],
  ["another protocol", { ...rtsp, url: "file:///etc/passwd" }, /must be an address such as rtsp/],
  ["a protocol inside", { ...rtsp, url: "concat:rtsp://a|file:/etc/passwd" }, /must be an address such as rtsp/],
  ["an address with spaces", { ...rtsp, url: "rtsp://camera.lan/a b" }, /must be an address such as rtsp/],
  ["an address without a host", { ...rtsp, url: "rtsp:///stream" }, /must be an address such as rtsp/],
  ["an endless address", { ...rtsp, url: `rtsp://camera.lan/${"a".repeat(600)}` }, /must be an address such as rtsp/],
  ["a password that cuts itself off", { ...rtsp, url: "rtsp://eye:12/34@camera.lan/live" }, /as %2F %3F %23 %40/],
  ["a password with a question", { ...rtsp, url: "rtsp://eye:12?34@camera.lan/live" }, /as %2F %3F %23 %40/],
  ["another transport", { ...rtsp, transport: "http" }, /must be tcp or udp/],
  ["a screen of another computer", { ...x11, display: "evil.example:0" }, /must be a display of this computer/],
  ["a region outside", { ...x11, region: { ...x11.region, x: -1 } }, /must be 0 to 16384/],
  ["a region of one pixel", { ...x11, region: { ...x11.region, width: 2 } }, /between 64x64/],
  ["another kind", { kind: "lavfi", graph: "movie=/etc/passwd" }, /must have a kind: v4l2, rtsp, x11 or test/],
  ["a graph for the test pattern", { kind: "test", graph: "movie=/etc/passwd" }, /does not know "(options|graph)"/],
];
test.each(refused)("%s is refused with its place and a sentence", (_, picture, sentence) => {
  for (const field of ["picture", "roomCamera"]) {
    const { machines, complaints } = read({ ...nar, [field]: picture });
    expect(machines).toEqual([]);
    expect(complaints[0]).toMatch(new RegExp(`^at 0\\.${field}`));
    if (field === "picture") expect(complaints.join()).toMatch(sentence);
    expect(complaints.join()).not.toMatch(/s3cret|passwd/);
  }
});

test.each([
  [{ kind: "alsa", device: "file:/tmp/x" }],
  [{ kind: "alsa", device: "hw:1,0;rm" }],
  [{ kind: "alsa", device: "plug{type hooks}" }],
  [{ kind: "alsa", device: "" }],
  [{ kind: "pulse", device: "../x" }],
  [{ kind: "oss" }],
])("the sound %o is refused", (sound) => {
  expect(read({ ...nar, picture: v4l2, sound }).complaints[0]).toMatch(/^at 0\.sound/);
});

test("what cannot be meant is said", () => {
  const told = (...machines: object[]) => read(...machines).complaints.join();
  expect(told({ ...nar, sound: { kind: "test" } })).toContain("a sound without a picture");
  expect(told({ ...nar, picture: v4l2, sound: { kind: "rtsp" } })).toContain("an rtsp picture that it does not have");
  expect(told({ ...nar, picture: v4l2, roomCamera: v4l2 })).toContain("uses the device /dev/video0 twice");
  expect(told({ ...nar, id: "a", picture: v4l2 }, { ...nar, id: "b", picture: v4l2 })).toContain("twice");
  expect(told({ ...nar, videoType: "film" })).toContain("at 0.videoType");
  expect(told({ ...nar, cutScreen: { x: 2, y: 0, width: 1, height: 1 } })).toContain("at 0.cutScreen.x");
});

test("a camera on a simulated machine is refused, unless the machine is for demonstration", () => {
  const shows =
    /^shows a camera or a screen as the simulated machine "nar-77": players would see a machine that they do not play/;
  for (const picture of [v4l2, rtsp, x11]) {
    expect(read({ ...nar, picture, demonstration: false }).complaints).toEqual([expect.stringMatching(shows)]);
    expect(read({ ...nar, picture }).complaints).toEqual([]);
  }
  expect(read({ ...nar, roomCamera: v4l2, demonstration: false }).complaints).toEqual([expect.stringMatching(shows)]);
  expect(read({ ...nar, picture: { kind: "test" }, demonstration: false }).complaints).toEqual([]);
});

test("only known options of FFmpeg are ever set, and their values are plain", () => {
  const known = new Set(
    "video_size framerate timestamps input_format rtsp_transport timeout max_delay reorder_queue_size probesize analyzeduration grab_x grab_y draw_mouse sample_rate channels".split(
      " ",
    ),
  );
  const pictures = [{ ...v4l2, format: "mjpeg" }, rtsp, { ...rtsp, transport: "udp" }, x11, { kind: "test" }];
  const sounds = [{ kind: "alsa", device: "hw:1,0" }, { kind: "pulse", device: "speakers.monitor" }, { kind: "test" }];
  const orders = [
    ...pictures.map((picture) => videoInput(PictureConfig.parse(picture))),
    ...sounds.map((sound) => soundInput(SoundConfig.parse(sound))),
  ];
  for (const order of orders) {
    for (const [name, value] of Object.entries(order?.options ?? {})) {
      expect(known).toContain(name);
      expect(value).toMatch(/^[a-z0-9_]+$/);
    }
    expect(order?.said).not.toContain("s3cret");
  }
});
