package dev.tula.connect.refnode.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class Sha3Test {
  private final Sha3 sha3 = new Sha3();

  @Property(tries = 500)
  void agrees_with_the_platform(
      @ForAll @Size(max = 500) byte[] bytes, @ForAll @IntRange(max = 40) int skipped)
      throws NoSuchAlgorithmException {
    int offset = Math.min(skipped, bytes.length);
    byte[] out = new byte[Sha3.DIGEST_BYTES + 3];

    sha3.digest(bytes, offset, bytes.length - offset, out, 3);

    byte[] expected =
        MessageDigest.getInstance("SHA3-256")
            .digest(Arrays.copyOfRange(bytes, offset, bytes.length));
    assertThat(Arrays.copyOfRange(out, 3, out.length)).isEqualTo(expected);
  }
}
