import * as z from "zod/mini";

/** Most pixels of one configured picture: 1920 × 1088. More would cost a core of its own. */
const PIXELS_MAX = 1920 * 1088;
const EDGE_MIN = 64;
const EDGE_MAX = 4096;

export type Size = { readonly width: number; readonly height: number };

function sizeProblem({ width, height }: Size): string | undefined {
  if (width % 2 === 1 || height % 2 === 1) return "both edges of a size must be even";
  const outside = Math.min(width, height) < EDGE_MIN || Math.max(width, height) > EDGE_MAX;
  return outside || width * height > PIXELS_MAX ? "a size must lie between 64x64 and 1920x1088 pixels" : undefined;
}

/** `1280x720`, in pixels, both even. */
const SizeText = z.pipe(
  z.string("must be a size such as 1280x720"),
  z.transform((text, context): Size => {
    const [, width = "", height = ""] = /^(\d{2,4})x(\d{2,4})$/.exec(text) ?? [];
    const size = { width: Number(width), height: Number(height) };
    const message = width === "" ? "must be a size such as 1280x720" : sizeProblem(size);
    if (message !== undefined) context.issues.push({ code: "custom", message, input: text });
    return size;
  }),
);
/** Pictures a second. */
const Rate = z
  .int("must be 1 to 60 pictures a second")
  .check(z.gte(1, "must be 1 to 60"), z.lte(60, "must be 1 to 60"));
const Whole = z
  .int("must be a whole number")
  .check(z.gte(0, "must be 0 to 16384"), z.lte(16_384, "must be 0 to 16384"));

/** How long the picture takes from the machine's glass to this computer: subtracted from the time of each frame. */
export const DelayMs = z
  .int("must be a whole number of milliseconds")
  .check(z.gte(0, "must be 0 to 2000"), z.lte(2_000, "must be 0 to 2000"));

const text = (shape: RegExp, must: string) => z.string(must).check(z.regex(shape, must));

/** A capture device of the Linux kernel: a camera, or a grabber on the machine's own video output. */
const V4l2Picture = z.strictObject({
  kind: z.literal("v4l2"),
  device: text(
    /^\/dev\/(video\d{1,3}|v4l\/by-(id|path)\/[A-Za-z0-9][\w.:+-]{0,199})$/,
    "must be /dev/video0 or a name in /dev/v4l/by-id or /dev/v4l/by-path",
  ),
  size: z._default(SizeText, { width: 1280, height: 720 }),
  rate: z._default(Rate, 30),
  /** What the device is asked for; absent: what it likes best. */
  format: z.optional(
    z.enum(["mjpeg", "h264", "yuyv422", "uyvy422", "nv12", "yuv420p", "rgb24", "bgr24"], "is no known pixel format"),
  ),
  /** Absent: what the doctor measured, else not known. */
  delayMs: z.optional(DelayMs),
});

/** A network camera. The address may carry a name and a password; they never reach a log. */
const RtspPicture = z.strictObject({
  kind: z.literal("rtsp"),
  url: z.string("must be an address such as rtsp://camera.lan/stream1").check(
    z.refine(isRtsp, "must be an address such as rtsp://camera.lan/stream1, of at most 500 characters"),
    // What stands behind the host is told in the log; half a password must not be.
    z.refine(endsInHost, "must write a / ? # or @ of its name or password as %2F %3F %23 %40"),
  ),
  /** `tcp` loses nothing; `udp` is quicker on a clean wire. */
  transport: z._default(z.enum(["tcp", "udp"], "must be tcp or udp"), "tcp"),
  size: z._default(SizeText, { width: 1280, height: 720 }),
  rate: z._default(Rate, 30),
  delayMs: z.optional(DelayMs),
});

/** A part of a screen of this computer. */
const X11Picture = z.strictObject({
  kind: z.literal("x11"),
  display: text(/^:\d{1,3}(\.\d{1,2})?$/, "must be a display of this computer such as :0 or :0.0"),
  region: z
    .strictObject({ x: Whole, y: Whole, width: Whole, height: Whole })
    .check(
      z.refine((region) => sizeProblem(region) === undefined, "must be even and between 64x64 and 1920x1088 pixels"),
    ),
  rate: z._default(Rate, 30),
});

/** Coloured bars and a counter, made here: proves everything but the camera. */
const TestPicture = z.strictObject({
  kind: z.literal("test"),
  size: z._default(SizeText, { width: 1280, height: 720 }),
  rate: z._default(Rate, 30),
});

/** Where a machine's picture really comes from. */
export const PictureConfig = z.discriminatedUnion("kind", [V4l2Picture, RtspPicture, X11Picture, TestPicture], {
  error: "must have a kind: v4l2, rtsp, x11 or test",
});
export type PictureConfig = z.output<typeof PictureConfig>;

/** ALSA has devices that write files or run plug-ins; only those that capture are let through. */
const alsaDevice = text(
  /^(default|pulse|pipewire|(sysdefault|hw|plughw|dsnoop|front)(:[A-Za-z0-9_,.=-]{1,100})?)$/,
  "must be a device such as hw:1,0 or default",
);
const pulseDevice = text(/^[A-Za-z0-9][\w.:-]{0,199}$/, "must be the name of a PulseAudio source");

/** Where its sound comes from. `rtsp`: with the picture. */
export const SoundConfig = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("none") }),
    z.strictObject({ kind: z.literal("alsa"), device: alsaDevice }),
    z.strictObject({ kind: z.literal("pulse"), device: pulseDevice }),
    z.strictObject({ kind: z.literal("rtsp") }),
    z.strictObject({ kind: z.literal("test") }),
  ],
  { error: "must have a kind: none, alsa, pulse, rtsp or test" },
);
export type SoundConfig = z.output<typeof SoundConfig>;

/** A camera of the room: small by default, because it is looked at small. `none`: there is none. */
export const RoomCameraConfig = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("none") }),
    z.extend(V4l2Picture, { size: z._default(SizeText, { width: 320, height: 180 }), rate: z._default(Rate, 15) }),
    z.extend(RtspPicture, { size: z._default(SizeText, { width: 320, height: 180 }), rate: z._default(Rate, 15) }),
    X11Picture,
    z.extend(TestPicture, { size: z._default(SizeText, { width: 320, height: 180 }), rate: z._default(Rate, 15) }),
  ],
  { error: "must have a kind: v4l2, rtsp, x11, test or none" },
);
export type RoomCameraConfig = z.output<typeof RoomCameraConfig>;

/** Whether name and password end where they seem to: `rtsp://eye:pass/word@camera` has the host `eye`. */
function endsInHost(address: string): boolean {
  const url = URL.parse(address);
  return url === null || !`${url.pathname}${url.search}`.includes("@");
}

function isRtsp(address: string): boolean {
  if (address.length > 500 || !/^[\x21-\x7e]+$/.test(address)) return false;
  const url = URL.parse(address);
  return url !== null && /^rtsps?:$/.test(url.protocol) && url.hostname !== "" && url.hash === "";
}
