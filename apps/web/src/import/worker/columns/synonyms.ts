import { type ByField, type FieldName, fieldNames, labels, mapFields } from '../../../shared/fields.js';
import type { ColumnChoice } from '../../protocol.js';

/** How much of a header is compared, in characters. */
const maxTitleLength = 100;

/**
 * Other headers of each field, as `normalizeTitle` returns them. Each string has the headers of one language: English, German, French,
 * Spanish, Italian, or Dutch.
 */
const synonyms: ByField<readonly string[]> = {
  id: [
    'ids,identifier,number,no,plantid,plantnumber,plantno,itemnumber,itemno,articlenumber,sku,reference,idtext',
    'nr,nummer,kennung,kennnummer,pflanzenid,pflanzennummer,pflanzennr,artikelnummer,artikelnr,artnr,inventarnummer',
    'identifiant,numero,num,idplante,numeroarticle',
    'idplanta,identificador,codigo,referencia,numerodearticulo',
    'identificativo,codice,idpianta,numeroarticolo',
    'kenmerk,plantnummer,artikelcode',
  ],
  name: [
    'names,plant,plants,plantname,commonname,species,title,botanicalname,scientificname,latinname,designation',
    'pflanze,pflanzenname,bezeichnung,art,sorte,botanischername,deutschername',
    'nom,plante,nomdelaplante,nomplante,espece,nomcommun',
    'nombre,planta,nombredelaplanta,nombreplanta,especie,nombrecomun',
    'nome,pianta,nomedellapianta,specie,nomecomune,denominazione',
    'naam,plantnaam,soort,omschrijving',
  ],
  tag: [
    'tags,type,planttype,category,kind,group,label,family',
    'typ,kategorie,gruppe,schlagwort,etikett,pflanzentyp,warengruppe,familie,rubrik',
    'etiquette,categorie,groupe,genre,famille',
    'etiqueta,categoria,tipo,grupo,clase,familia',
    'gruppo,etichetta,famiglia',
    'groep,rubriek',
  ],
};

/** Headers that mean the tag if another column has the name, such as "Art" next to "Bezeichnung", and otherwise the name. */
const nameOrTagTitles = ['art', 'sorte', 'species', 'espece', 'especie', 'specie', 'soort'];

const fieldsByTitle = new Map<string, FieldName>();
// A field that is added to the contract later has no synonyms.
for (const field of fieldNames)
  for (const titles of synonyms[field] ?? [])
    for (const title of titles.split(',')) fieldsByTitle.set(title, field);
// Set last, so that field names take precedence over synonyms.
for (const field of fieldNames)
  for (const title of [field, labels[field]]) fieldsByTitle.set(normalizeTitle(title), field);

/** Returns the field that a header means. Ignores case, accents, spaces, and punctuation. */
export function fieldOfTitle(title: string): FieldName | undefined {
  return fieldsByTitle.get(normalizeTitle(title));
}

/** Whether a header is the name of a field rather than a synonym. */
export function isNameOfField(title: string): boolean {
  const names: readonly string[] = [...fieldNames, 'idtext'];
  return names.includes(normalizeTitle(title));
}

/** Finds the column of each field by its header. Exact names take precedence over synonyms. */
export function findTitledColumns(titles: readonly string[]): ColumnChoice {
  const normalized = titles.map(normalizeTitle);
  const find = (field: FieldName, isExcluded: (title: string) => boolean = () => false) => {
    const exact = normalized.indexOf(normalizeTitle(field));
    if (exact !== -1) return exact;
    const found = normalized.findIndex((title) => fieldsByTitle.get(title) === field && !isExcluded(title));
    return found === -1 ? undefined : found;
  };
  const isNameOrTag = (title: string) => nameOrTagTitles.includes(title);
  const columns = mapFields((field) => find(field));
  const name = find('name', isNameOrTag) ?? columns.name;
  // `idText` has all digits, even if a program rounded `id`.
  const idText = normalized.indexOf('idtext');
  const id = idText === -1 ? columns.id : idText;
  const second = normalized.findIndex((title, column) => column !== name && isNameOrTag(title));
  return { ...columns, id, name, tag: columns.tag ?? (second === -1 ? undefined : second) };
}

function normalizeTitle(title: string): string {
  return title
    .slice(0, maxTitleLength)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
