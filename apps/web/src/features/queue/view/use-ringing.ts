import { useEffect, useEffectEvent, useState } from "react";
import icon from "./turn-icon.svg";

/** How often the seconds in the tab's title are written anew. */
const TITLE_EVERY_S = 5;
const VIBRATION_MS = [200, 100, 200];

type Ringing = {
  readonly seconds: number;
  /** What the tab says behind the seconds. */
  readonly title: string;
  readonly isOn: boolean;
  /** At which second it sounds once more. */
  readonly atSecond: number;
  readonly ring: () => void;
};

/** Draws attention to a call: sound at its beginning and near its end, vibration, the tab's title and its icon. All of it ends with the call. */
export function useRinging({ seconds, title, isOn, atSecond, ring }: Ringing): void {
  const [shownSeconds, setShownSeconds] = useState(seconds);
  if (seconds < shownSeconds && (seconds % TITLE_EVERY_S === 0 || seconds <= shownSeconds - TITLE_EVERY_S))
    setShownSeconds(seconds);
  const sound = useEffectEvent(ring);
  useEffect(() => {
    if (!isOn) return;
    sound();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // Before a first touch a browser only complains.
    if (!still && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATION_MS);
  }, [isOn]);
  useEffect(() => {
    if (isOn && seconds === atSecond) sound();
  }, [isOn, seconds, atSecond]);
  useEffect(() => (isOn ? wearIcon() : undefined), [isOn]);
  useEffect(() => {
    if (!isOn) return;
    const before = document.title;
    return () => {
      // A page that opened meanwhile has a title of its own.
      if (document.title.startsWith("(")) document.title = before;
    };
  }, [isOn]);
  useEffect(() => {
    if (isOn) document.title = `(${shownSeconds}) ${title.replace(/[\u2066-\u2069]/g, "")}`;
  }, [isOn, shownSeconds, title]);
}

/** The tab's icon with a green lamp. */
function wearIcon(): (() => void) | undefined {
  const link = document.querySelector<HTMLLinkElement>("link[rel~=icon]");
  if (link === null) return undefined;
  const before = link.href;
  link.href = icon;
  return () => {
    link.href = before;
  };
}
