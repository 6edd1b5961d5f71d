import type { RefObject } from "react";
import { useLayoutEffect, useRef } from "react";

/**
 * Tells an element, as `--page-room`, how high it may be: from where it begins to the lower edge of what scrolls it. No frame of the page has to
 * know which of its pages fill the window.
 */
export function useRoom(): RefObject<HTMLDivElement | null> {
  const page = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const node = page.current;
    if (node === null) return;
    const scroller = scrollerOf(node);
    const measure = () => node.style.setProperty("--page-room", `${scroller.clientHeight - topIn(scroller, node)}px`);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    // A bar that comes or goes above moves the page without resizing it, but never without resizing something around it.
    for (let around = node.parentElement; around && around !== scroller; around = around.parentElement) {
      observer.observe(around);
    }
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, []);
  return page;
}

function scrollerOf(node: HTMLElement): HTMLElement {
  for (let around = node.parentElement; around; around = around.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  }
  return document.documentElement;
}

/** Where the node begins in what scrolls it, however far that is scrolled. */
function topIn(scroller: HTMLElement, node: HTMLElement): number {
  const scrolled = scroller === document.documentElement ? 0 : scroller.scrollTop;
  return Math.round(node.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scrolled);
}
