# SPDX-License-Identifier: MIT
# A Homebrew formula, on Linux.  It has not been tried: only its syntax was checked (ruby -c).
# url and sha256 are those of a release's tarball (make release, SHA256SUMS).
class MhaViz < Formula
  desc "Pictures and statistics of the attention heads of transformers"
  homepage "https://example.org/mha-viz"
  url "https://example.org/mha-viz/mha-viz-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["MIT", "Apache-2.0"]

  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "jansson"
  depends_on "jpeg-turbo"
  depends_on "libpng"
  depends_on :linux
  depends_on "pango"
  depends_on "pcre2"
  depends_on "utf8proc"
  uses_from_macos "zlib"

  def install
    system "make", "all"
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mha-viz --version")
    assert_match "L0H0", shell_output("#{bin}/mha-viz stats 'the cat saw the dog'")
  end
end
