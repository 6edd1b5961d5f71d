import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useMedia } from "@longarm/ui/use-media.ts";
import type { ReactNode, RefObject } from "react";
import { useLayoutEffect, useRef, useState } from "react";
import css from "./page-layout.module.css";

/** A column of 240 px beside the page; in windows under 1280 px a drawer that a key in the header opens. */
export type PageSidebar = {
  /** Its name for screen readers, and that of its key. */
  readonly label: string;
  readonly header: ReactNode;
  /** `leave` closes the drawer, if it is one, and hands the focus to the element of that id. */
  readonly content: (leave: (to: string) => void) => ReactNode;
};

type PageLayoutProps = {
  /** Holds the h1 of the page. */
  readonly header: ReactNode;
  /** A row of 64 px over the content: keys, or the row of tabs. */
  readonly toolbar?: ReactNode;
  readonly children: ReactNode;
  readonly start?: PageSidebar | undefined;
  readonly end?: PageSidebar | undefined;
  /** The name of the content. With it the page is as high as the window, and only its content and its sidebars scroll. */
  readonly innerScroll?: string | undefined;
};

/** A card on a band: the band is 200 px high, the header 136, the card's toolbar 64, a sidebar's header 200. */
export function CardedLayout(props: PageLayoutProps) {
  return <Layout {...props} kind="carded" />;
}

/** A plain page: header and sidebar header of 120 px, toolbar 64. `inside`: the sidebars are under the header. */
export function SimpleLayout(props: PageLayoutProps & { readonly inside?: boolean | undefined }) {
  return <Layout {...props} kind="simple" />;
}

type LayoutProps = PageLayoutProps & { readonly kind: "carded" | "simple"; readonly inside?: boolean | undefined };

function Layout({ kind, inside, header, toolbar, children, start, end, innerScroll }: LayoutProps) {
  const page = useRoom();
  const narrow = useMedia("(max-width: 79.99rem)");
  const side = { narrow, scrolls: innerScroll !== undefined };
  const scrolling = innerScroll === undefined ? {} : { role: "region", "aria-label": innerScroll, tabIndex: 0 };
  return (
    <div
      ref={page}
      className={css["layout"]}
      data-kind={kind}
      data-inside={inside || undefined}
      data-inner={innerScroll === undefined ? undefined : true}
    >
      <div className={css["header"]}>
        {start && narrow && <Drawer at="start" sidebar={start} />}
        <div className={css["title"]}>{header}</div>
        {end && narrow && <Drawer at="end" sidebar={end} />}
      </div>
      {start && !narrow && <Side {...side} at="start" sidebar={start} />}
      <div className={css["card"]}>
        {toolbar && <div className={css["toolbar"]}>{toolbar}</div>}
        <div className={css["content"]} {...scrolling}>
          {children}
        </div>
      </div>
      {end && !narrow && <Side {...side} at="end" sidebar={end} />}
    </div>
  );
}

type SideProps = { readonly at: "start" | "end"; readonly sidebar: PageSidebar };

function Side({ at, sidebar, scrolls = false }: SideProps & { readonly scrolls?: boolean }) {
  return (
    <section className={css["side"]} data-at={at} aria-label={sidebar.label} tabIndex={scrolls ? 0 : undefined}>
      <div className={css["sideHeader"]}>{sidebar.header}</div>
      <div className={css["sideContent"]}>{sidebar.content(() => undefined)}</div>
    </section>
  );
}

function Drawer({ at, sidebar }: SideProps) {
  const { t } = useText();
  const [open, setOpen] = useState(false);
  const left = useRef<string>(undefined);
  function close(to?: string): void {
    left.current = to;
    setOpen(false);
  }
  return (
    <>
      <IconButton
        icon={at === "start" ? "unfold" : "sideBar"}
        label={sidebar.label}
        kind="line"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      <Sheet
        open={open}
        onClose={() => close()}
        title={sidebar.label}
        bareTitle
        form={at === "start" ? "drawer" : "end"}
        finalFocus={() => document.getElementById(left.current ?? "") ?? true}
        className={css["drawer"] ?? ""}
        head={<IconButton icon="close" label={t("app.close")} className={css["close"] ?? ""} onClick={() => close()} />}
      >
        <div className={css["sideHeader"]}>{sidebar.header}</div>
        <div className={css["sideContent"]}>{sidebar.content(close)}</div>
      </Sheet>
    </>
  );
}

/**
 * Sets on an element, as `--page-room`, how high it may be: from where it begins to the lower edge of what scrolls it. No frame of the page has to
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
