import type { Field } from '../../protocol.js';

/** What the columns of each field are called in several languages, as `normalizeTitle` gives it. */
const synonyms: Readonly<Record<Field, readonly string[]>> = {
  id: [
    ...['id', 'ids', 'identifier', 'number', 'no', 'plantid', 'plantnumber', 'plantno'],
    ...['nr', 'nummer', 'kennung', 'kennnummer', 'pflanzenid', 'pflanzennummer', 'pflanzennr'],
    ...['identifiant', 'numero', 'num', 'idplante', 'idplanta', 'identificador', 'codigo'],
    ...['identificativo', 'codice', 'idpianta', 'kenmerk', 'plantnummer'],
  ],
  name: [
    ...['name', 'names', 'plant', 'plants', 'plantname', 'commonname', 'species', 'title'],
    ...['pflanze', 'pflanzenname', 'bezeichnung', 'art', 'sorte'],
    ...['nom', 'plante', 'nomdelaplante', 'nomplante', 'espece'],
    ...['nombre', 'planta', 'nombredelaplanta', 'nombreplanta', 'especie'],
    ...['nome', 'pianta', 'nomedellapianta', 'specie', 'naam', 'plantnaam', 'soort'],
  ],
  tag: [
    ...['tag', 'tags', 'type', 'planttype', 'category', 'kind', 'group', 'label'],
    ...['typ', 'kategorie', 'gruppe', 'schlagwort', 'etikett', 'pflanzentyp'],
    ...['etiquette', 'categorie', 'groupe', 'genre'],
    ...['etiqueta', 'categoria', 'tipo', 'grupo', 'clase', 'gruppo', 'etichetta', 'groep'],
  ],
};

/** Titles of names that are tags where another column has the name, such as "Art" beside "Bezeichnung". */
const kinds = ['art', 'sorte', 'species', 'espece', 'especie', 'specie', 'soort'];

const fieldsByTitle = new Map<string, Field>(
  (['id', 'name', 'tag'] as const).flatMap((field) =>
    synonyms[field].map((title) => [title, field] as const),
  ),
);

/** The field that the title of a column stands for, in any case, with or without accents and punctuation. */
export function fieldOfTitle(title: string): Field | undefined {
  return fieldsByTitle.get(normalizeTitle(title));
}

/** The columns of the fields by their titles: by those that are the names of the fields first. */
export function findTitledColumns(titles: readonly string[]): { readonly [Name in Field]?: number } {
  const known = titles.map(normalizeTitle);
  const find = (field: Field, isTaken: (title: string) => boolean = () => false) => {
    const exact = known.indexOf(field);
    if (exact !== -1) return exact;
    const found = known.findIndex((title) => fieldsByTitle.get(title) === field && !isTaken(title));
    return found === -1 ? undefined : found;
  };
  const isKind = (title: string) => kinds.includes(title);
  const id = find('id');
  const name = find('name', isKind) ?? find('name');
  const kind = known.findIndex((title, column) => column !== name && isKind(title));
  const tag = find('tag') ?? (kind === -1 ? undefined : kind);
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(tag !== undefined && { tag }),
  };
}

function normalizeTitle(title: string): string {
  return title
    .slice(0, 100)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
