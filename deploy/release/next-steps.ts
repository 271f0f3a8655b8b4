/** What a release has made. */
export interface Made {
  version: string;
  /** Of the release's commit. */
  branch: string;
  /** Folder of what was built. */
  folder: string;
  images: readonly string[];
  /** Whether the images are archives with attestations, instead of images of Docker. */
  isArchived: boolean;
}

/** The commands that publish a release: the maintainer runs them. */
export function nextSteps({ version, branch, folder, images, isArchived }: Made): string {
  const push = (image: string) =>
    isArchived
      ? `skopeo copy --all oci-archive:${folder}/images/${image}.tar docker://$REGISTRY/tollgate/${image}:${version}`
      : `docker tag tollgate/${image}:${version} $REGISTRY/tollgate/${image}:${version} && docker push $REGISTRY/tollgate/${image}:${version}`;
  return [
    `Release ${version} is committed and tagged here. To publish it, with REGISTRY set:`,
    '',
    ...images.map(push),
    `helm push ${folder}/tollgate-${version}.tgz oci://$REGISTRY/charts`,
    `git push --atomic origin ${branch} v${version}`,
    '',
    `To take it back instead: git tag --delete v${version} && git reset --keep HEAD~1`,
  ].join('\n');
}
