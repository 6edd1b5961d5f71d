import type { LobbyMachine } from "@longarm/contract/machine";
import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { picturesOf } from "../model/pictures.ts";
import css from "./machine-card.module.css";

/** A picture is renewed while it is this near the window. */
const NEAR = "200px";
/** The first of all is what a start is waited for; the others come after it. */
const PRIORITY = { first: "high", "at once": "low" } as const;

type MachinePictureProps = {
  readonly machine: LobbyMachine;
  /** The whole address of a picture; undefined when it is none. */
  readonly still: (image: string) => string | undefined;
  /** Seen before anybody scrolls: it does not wait for the page to be laid out, and the first of all comes before what else is fetched. */
  readonly seen?: "first" | "at once" | undefined;
};

/** What the machine shows: its still, else its brand's picture, else dark glass. */
export function MachinePicture({ machine, still, seen }: MachinePictureProps) {
  const pictures = picturesOf(machine, still);
  const wanted = pictures[0];
  const picture = useRef<HTMLImageElement>(null);
  const [shown, setShown] = useState(wanted);
  const tried = useRef(wanted);
  useEffect(() => {
    if (wanted === tried.current) return;
    if (wanted === undefined || picture.current === null) {
      tried.current = wanted;
      setShown(wanted);
      return;
    }
    return whenReady(
      picture as RefObject<HTMLImageElement>,
      wanted,
      () => {
        tried.current = wanted;
      },
      setShown,
    );
  }, [wanted]);

  if (shown === undefined) return <div className={css["noPicture"]} />;
  return (
    <img
      ref={picture}
      src={shown}
      alt=""
      width="640"
      height="400"
      loading={seen === undefined ? "lazy" : "eager"}
      fetchPriority={seen === undefined ? "auto" : PRIORITY[seen]}
      decoding="async"
      onError={() => setShown(pictures[pictures.indexOf(shown) + 1])}
    />
  );
}

/** Fetches and decodes the next picture once the present one is near the window, so that it is replaced without a flicker. What cannot be had leaves the old one. */
function whenReady(
  present: RefObject<HTMLImageElement>,
  next: string,
  onTry: () => void,
  onReady: (next: string) => void,
): () => void {
  let over = false;
  const watch = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      watch.disconnect();
      onTry();
      const image = new Image();
      image.src = next;
      image.decode().then(
        () => over || onReady(next),
        () => {},
      );
    },
    { rootMargin: NEAR },
  );
  watch.observe(present.current);
  return () => {
    over = true;
    watch.disconnect();
  };
}
