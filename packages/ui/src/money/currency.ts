import { createContext, use } from "react";

/** ISO 4217 code of every amount on the page, from the settings. */
export const CurrencyContext = createContext("TRY");

export function useCurrency(): string {
  return use(CurrencyContext);
}
