import { type ByField, type FieldName, fieldNames, labels, mapFields } from '../../../shared/fields.js';
import type { ColumnChoice } from '../../protocol.js';

/** Headers are compared up to this length. */
const maxTitleLength = 100;

/** Other headers of each field in several languages, as `normalizeTitle` returns them. */
const synonyms: ByField<readonly string[]> = {
  id: [
    'idtext',
    'ids',
    'identifier',
    'number',
    'no',
    'plantid',
    'plantnumber',
    'plantno',
    'nr',
    'nummer',
    'kennung',
    'kennnummer',
    'pflanzenid',
    'pflanzennummer',
    'pflanzennr',
    'identifiant',
    'numero',
    'num',
    'idplante',
    'idplanta',
    'identificador',
    'codigo',
    'identificativo',
    'codice',
    'idpianta',
    'kenmerk',
    'plantnummer',
    'itemnumber',
    'itemno',
    'articlenumber',
    'sku',
    'artikelnummer',
    'artikelnr',
    'artnr',
    'inventarnummer',
    'reference',
    'numeroarticle',
    'referencia',
    'numerodearticulo',
    'numeroarticolo',
    'artikelcode',
  ],
  name: [
    'names',
    'plant',
    'plants',
    'plantname',
    'commonname',
    'species',
    'title',
    'pflanze',
    'pflanzenname',
    'bezeichnung',
    'art',
    'sorte',
    'nom',
    'plante',
    'nomdelaplante',
    'nomplante',
    'espece',
    'nombre',
    'planta',
    'nombredelaplanta',
    'nombreplanta',
    'especie',
    'nome',
    'pianta',
    'nomedellapianta',
    'specie',
    'naam',
    'plantnaam',
    'soort',
    'botanicalname',
    'scientificname',
    'latinname',
    'botanischername',
    'deutschername',
    'nomcommun',
    'nombrecomun',
    'nomecomune',
    'denominazione',
    'designation',
    'omschrijving',
  ],
  tag: [
    'tags',
    'type',
    'planttype',
    'category',
    'kind',
    'group',
    'label',
    'typ',
    'kategorie',
    'gruppe',
    'schlagwort',
    'etikett',
    'pflanzentyp',
    'etiquette',
    'categorie',
    'groupe',
    'genre',
    'famille',
    'family',
    'warengruppe',
    'familie',
    'rubrik',
    'familia',
    'famiglia',
    'rubriek',
    'etiqueta',
    'categoria',
    'tipo',
    'grupo',
    'clase',
    'gruppo',
    'etichetta',
    'groep',
  ],
};

/** Headers of names that mean tags if another column has the name, such as "Art" next to "Bezeichnung". */
const nameOrTagTitles = ['art', 'sorte', 'species', 'espece', 'especie', 'specie', 'soort'];

const fieldsByTitle = new Map<string, FieldName>();
// Fields that are added later have no synonyms.
for (const field of fieldNames) for (const title of synonyms[field] ?? []) fieldsByTitle.set(title, field);
// Last, so that names of fields take precedence over synonyms.
for (const field of fieldNames)
  for (const title of [field, labels[field]]) fieldsByTitle.set(normalizeTitle(title), field);

/** The field that a header means, ignoring case, accents, and punctuation. */
export function fieldOfTitle(title: string): FieldName | undefined {
  return fieldsByTitle.get(normalizeTitle(title));
}

/** Whether a header is the exact name of a field, and not a synonym. */
export function isNameOfField(title: string): boolean {
  const names: readonly string[] = [...fieldNames, 'idtext'];
  return names.includes(normalizeTitle(title));
}

/** Finds the columns of the fields by their headers. Exact names take precedence over synonyms. */
export function findTitledColumns(titles: readonly string[]): ColumnChoice {
  const known = titles.map(normalizeTitle);
  const find = (field: FieldName, isTaken: (title: string) => boolean = () => false) => {
    const exact = known.indexOf(normalizeTitle(field));
    if (exact !== -1) return exact;
    const found = known.findIndex((title) => fieldsByTitle.get(title) === field && !isTaken(title));
    return found === -1 ? undefined : found;
  };
  const isNameOrTag = (title: string) => nameOrTagTitles.includes(title);
  const columns = mapFields((field) => find(field));
  const name = find('name', isNameOrTag) ?? columns.name;
  // `idText` has all digits, even if a program rounded `id`.
  const idText = known.indexOf('idtext');
  const id = idText === -1 ? columns.id : idText;
  const second = known.findIndex((title, column) => column !== name && isNameOrTag(title));
  return { ...columns, id, name, tag: columns.tag ?? (second === -1 ? undefined : second) };
}

function normalizeTitle(title: string): string {
  return title
    .slice(0, maxTitleLength)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
