import { act, cleanup, render } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { ClipSegmentBytes } from "./play-clip.ts";
import { playClip } from "./play-clip.ts";
import { usePlayed } from "./use-played.ts";

/* A recording in a video of React: where it begins, what it says while it moves, and that it is closed. The playing itself is tested by play-clip and in Chromium. */

vi.mock(import("./play-clip.ts"), async (original) => ({ ...(await original()), playClip: vi.fn() }));
const played = vi.mocked(playClip);
afterEach(() => {
  cleanup();
  played.mockReset();
});

const FRAMES = [1_000, 1_033, 1_066, 1_100];
const SEGMENTS: readonly ClipSegmentBytes[] = [{ fromMs: 1_000, bytes: new ArrayBuffer(0) }];
function clipOf(frames: readonly number[] = FRAMES) {
  const clip = { frames, endMs: 1_133, frame: vi.fn(() => 0), show: vi.fn(), play: vi.fn(), close: vi.fn() };
  played.mockReturnValueOnce(clip);
  return clip;
}

let now: ReturnType<typeof usePlayed>;
function Video({ segments, beginMs }: { readonly segments: readonly ClipSegmentBytes[]; readonly beginMs: number }) {
  const video = useRef<HTMLVideoElement>(null);
  now = usePlayed(video, segments, beginMs);
  // biome-ignore lint/a11y/useMediaCaption: nothing is said in it.
  return <video ref={video} />;
}
const open = (segments = SEGMENTS, beginMs = 1_070) => {
  const view = render(<Video {...{ segments, beginMs }} />);
  const video = view.container.querySelector("video") as HTMLVideoElement;
  return { ...view, happens: (name: string) => act(() => void video.dispatchEvent(new Event(name))), video };
};

test("it begins at the frame where the game does, and says each frame and each moment, also of a gap", () => {
  const clip = clipOf();
  const { happens, video } = open();
  expect(now.atMs).toBe(1_070);
  happens("loadedmetadata");
  expect(clip.show.mock.calls).toEqual([[2]]);
  clip.frame.mockReturnValue(3);
  video.currentTime = 0.11;
  happens("timeupdate");
  expect(now).toMatchObject({ frame: 3, atMs: 1_110, playing: false, problem: undefined, played: clip });
});

test("the picture is that of the frame only once the browser has drawn it", () => {
  const callbacks: VideoFrameRequestCallback[] = [];
  const proto = HTMLVideoElement.prototype;
  Object.assign(proto, {
    requestVideoFrameCallback: (seen: VideoFrameRequestCallback) => callbacks.push(seen),
    cancelVideoFrameCallback: vi.fn(),
  });
  onTestFinished(() => {
    for (const name of ["requestVideoFrameCallback", "cancelVideoFrameCallback"]) Reflect.deleteProperty(proto, name);
  });
  const draws = (mediaTime: number) => act(() => callbacks.shift()?.(0, { mediaTime } as VideoFrameCallbackMetadata));
  const clip = clipOf();
  const { happens } = open();
  draws(0);
  clip.frame.mockReturnValue(2);
  happens("seeking");
  expect(now).toMatchObject({ frame: 2, isDrawn: false });
  draws(0.066);
  expect(now).toMatchObject({ frame: 2, isDrawn: true });
  // A browser that misses to say it has drawn the frame by then.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  clip.frame.mockReturnValue(3);
  happens("seeking");
  happens("seeked");
  expect(now).toMatchObject({ frame: 3, isDrawn: false });
  act(() => void vi.advanceTimersByTime(3_000));
  expect(now).toMatchObject({ frame: 3, isDrawn: true });
});

test("a browser that cannot play it, a damaged segment, and a clip that stops on the way are said", () => {
  played.mockReturnValueOnce("cannotPlay");
  open();
  expect(now).toMatchObject({ problem: "cannotPlay", played: undefined });
  cleanup();
  played.mockImplementationOnce(() => {
    throw new Error("no moov");
  });
  open();
  expect(now.problem).toBe("damaged");
  cleanup();
  clipOf();
  open();
  act(() => played.mock.lastCall?.[2]());
  expect(now.problem).toBe("damaged");
});

test("another recording and the end of the page close the one before, which says nothing any more", () => {
  const [first, second] = [clipOf(), clipOf([5_000])];
  const { rerender, unmount, video } = open();
  rerender(<Video segments={[{ fromMs: 5_000, bytes: new ArrayBuffer(0) }]} beginMs={5_000} />);
  expect(first.close).toHaveBeenCalledOnce();
  expect(now.played).toBe(second);
  unmount();
  expect(second.close).toHaveBeenCalledOnce();
  video.dispatchEvent(new Event("timeupdate"));
  expect([first, second].map(({ frame }) => frame.mock.calls.length)).toEqual([0, 0]);
});
