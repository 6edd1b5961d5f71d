import { Field } from "@longarm/ui/field.tsx";
import { fold } from "@longarm/ui/i18n/fold.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { SimpleLayout } from "../page-layouts/page-layout.tsx";
import css from "./search-page.module.css";

/** Results on one page of the pager. */
const PAGE_SIZE = 4;

/** The classic page lists its results under each other, the modern one puts each on a card. */
export const SEARCH_PAGES = {
  classic: () => <SearchPage look="classic" />,
  modern: () => <SearchPage look="modern" />,
};

function SearchPage({ look }: { readonly look: keyof typeof SEARCH_PAGES }) {
  const { t } = useText();
  const [query, setQuery] = useState("");
  const [page, setPage] = useState(1);
  const wanted = fold(query.trim());
  const found = RESULTS.map(({ key, ...rest }) => ({
    ...rest,
    title: t(`templateSample.found${key}`),
    excerpt: t(`templateSample.found${key}Text`),
  })).filter(({ title, excerpt, path }) => fold(`${title} ${excerpt} ${path}`).includes(wanted));
  const pages = Math.ceil(found.length / PAGE_SIZE);
  return (
    <SimpleLayout
      header={
        <div className={css["header"]}>
          <h1>{t("templateSample.search")}</h1>
          <Field
            type="search"
            label={t("templateSample.searchField")}
            placeholder={t("templateSample.searchField")}
            bareLabel
            autoComplete="off"
            before={<Icon name="search" />}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setPage(1);
            }}
          />
        </div>
      }
    >
      <div className={css["search"]} data-look={look}>
        <p role="status" className={css["count"]}>
          {t("templateSample.results", { count: found.length })}
        </p>
        {found.length === 0 && (
          <Notice title={t("templateSample.noneFound", { query: query.trim() })}>
            <Key onClick={() => setQuery("")}>{t("templateSample.searchAll")}</Key>
          </Notice>
        )}
        <ul className={css["results"]}>
          {found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map(({ path, icon, title, excerpt }) => (
            <li key={path}>
              {look === "modern" && <Icon name={icon} />}
              <h2>
                <Link to={path as string}>{title}</Link>
              </h2>
              <p className={css["path"]}>
                <bdi>longarm{path}</bdi>
              </p>
              <p>{excerpt}</p>
            </li>
          ))}
        </ul>
        {pages > 1 && <Pager page={page} pages={pages} onPage={setPage} />}
      </div>
    </SimpleLayout>
  );
}

function Pager(props: { readonly page: number; readonly pages: number; readonly onPage: (page: number) => void }) {
  const { page, pages, onPage } = props;
  const { t } = useText();
  return (
    <nav className={css["pager"]} aria-label={t("templateSample.pager")}>
      <IconButton
        icon="back"
        label={t("templateSample.pageBefore")}
        disabled={page === 1}
        onClick={() => onPage(page - 1)}
      />
      {Array.from({ length: pages }, (_, index) => index + 1).map((number) => (
        <Key
          key={number}
          kind="bare"
          aria-current={number === page ? "page" : undefined}
          aria-label={t("templateSample.page", { page: number })}
          onClick={() => onPage(number)}
        >
          {number}
        </Key>
      ))}
      <IconButton
        icon="back"
        label={t("templateSample.pageAfter")}
        className={css["after"] ?? ""}
        disabled={page === pages}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  );
}

/** What the search of the sample finds: pages that are there. The key picks their texts. */
const RESULTS = [
  { key: "Lobby", path: "/lobby", icon: "machine" },
  { key: "Sessions", path: "/slot-sessions", icon: "clock" },
  { key: "Transactions", path: "/transactions", icon: "transactions" },
  { key: "Account", path: "/profile", icon: "player" },
  { key: "Guide", path: "/documentation", icon: "info" },
  { key: "Icons", path: "/ui/icons", icon: "star" },
  { key: "Type", path: "/ui/typography", icon: "columns" },
  { key: "Soon", path: "/pages/coming-soon", icon: "bonus" },
] as const satisfies readonly { key: string; path: string; icon: IconName }[];
