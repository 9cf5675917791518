#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The content of a file in memory, whose pages are read on demand. Unmapped with its last reference.
@safe
package final class MappedFile: @unchecked Sendable {
  // SAFETY: nothing writes to the memory. Who reads it holds this object.
  @unsafe package let bytes: UnsafeRawBufferPointer

  /// - Parameter length: That of the file, which must not become shorter; above zero.
  package init(_ file: OpenFile, length: Int) throws(SystemFailure) {
    let start = unsafe mmap(nil, length, PROT_READ, MAP_PRIVATE, file.descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw SystemFailure(errno) }
    unsafe bytes = UnsafeRawBufferPointer(start: start, count: length)
  }

  deinit {
    if let start = unsafe bytes.baseAddress {
      unsafe munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
  }
}
