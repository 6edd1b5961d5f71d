import type { InfoPage } from "@longarm/contract/info-pages";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import { lazy, Suspense, useState } from "react";
import { INFO_PAGE_IDS, PAGE_TITLES } from "../../features/info-pages/page-titles.ts";
import { useText } from "../../shared/i18n/use-text.ts";

const InfoModal = lazy(async () => ({ default: (await import("../../features/info-pages/info-modal.tsx")).InfoModal }));

/** The info page that is open over everything, and the links that open the six. */
export function useInfoPages() {
  const { t } = useText();
  const [open, setOpen] = useState<{ readonly page: InfoPage; readonly from: Element | null }>();
  const links = INFO_PAGE_IDS.map((page) => ({
    ...{ id: page, title: INFO_PAGES[page].title, label: t(PAGE_TITLES[page]) },
    open: () => setOpen({ page, from: document.activeElement }),
  }));
  /** Back to its link; from a drawer or the search, which are gone by now, to what stands in the page. */
  function finalFocus(): HTMLElement | true {
    const from = open?.from;
    if (from instanceof HTMLElement && from.isConnected && from.closest("[role=dialog]") === null) return from;
    return document.querySelector<HTMLElement>("[data-menu-key]") ?? true;
  }
  const modal = open && (
    <Suspense>
      <InfoModal page={open.page} onClose={() => setOpen(undefined)} finalFocus={finalFocus} />
    </Suspense>
  );
  return { links, modal };
}
