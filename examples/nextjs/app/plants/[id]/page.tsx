import { startEdit } from '@plant-store/client';
import { serialize } from '@plant-store/client/tanstack-query';
import { notFound } from 'next/navigation';
import { EditPlant } from '../../edit-plant';
import { getClient } from '../../store-plant';

export default async function Page({ params }: { readonly params: Promise<{ readonly id: string }> }) {
  const { id } = await params;
  if (!/^-?\d+$/.test(id)) notFound();
  const reply = await getClient().getPlant({ params: { id: BigInt(id) } });
  if (reply.status === 404) notFound();
  const edit = startEdit(reply);
  return <EditPlant seen={serialize(edit)} name={edit.plant.name} />;
}
