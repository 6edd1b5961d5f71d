import type { Brand } from "@longarm/contract/machine";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { brandSign } from "../model/pictures.ts";
import { shownName } from "../model/shown-name.ts";
import css from "./brands.module.css";

export type BrandView = {
  readonly brand: Brand;
  /** Undefined while the machines are not known. */
  readonly free: number | undefined;
};

/** Filters and place on the page outlive the choice of a brand. Nothing of it can be fetched ahead. */
const KEEPING = { search: true, resetScroll: false, preload: false } as const;

/** Lit signs over the aisles. Choosing one filters the floor, and stands in the address. */
export function Brands({
  brands,
  total,
  chosen,
}: {
  brands: readonly BrandView[];
  total: number;
  chosen: string | undefined;
}) {
  const { t } = useText();
  return (
    <nav className={css["brands"]} aria-label={t("lobby.brands")}>
      <Link
        to={paths.lobby}
        className={`${css["brand"]} ${css["all"]}`}
        activeOptions={{ exact: true, includeSearch: false }}
        {...KEEPING}
      >
        <b>{t("lobby.all")}</b>
        <small className="num">{t("lobby.machines", { count: total })}</small>
      </Link>
      {brands.map(({ brand, free }) => (
        <Link
          key={brand.id}
          {...paths.brand(brand.id, brand.name)}
          className={css["brand"]}
          data-empty={brand.machineCount === 0 || undefined}
          {...KEEPING}
          aria-current={chosen === brand.id ? "true" : undefined}
        >
          <Art name={brand.name} />
          <b lang="tr">
            <bdi>{shownName(brand)}</bdi>
          </b>
          <small className="num">
            {t("lobby.machines", { count: brand.machineCount })}
            {free !== undefined && brand.machineCount > 0 && ` · ${t("lobby.free", { count: free })}`}
          </small>
        </Link>
      ))}
    </nav>
  );
}

/** The brand's own picture, after the first machine's; a brand without one is a plain sign. */
function Art({ name }: { name: string }) {
  const source = brandSign(name);
  const [missing, setMissing] = useState<string>();
  if (missing === source) return null;
  return <img src={source} alt="" fetchPriority="low" onError={() => setMissing(source)} />;
}
