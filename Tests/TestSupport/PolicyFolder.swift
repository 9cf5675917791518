import FoundationEssentials
import Glibc

/// A folder for a policy file, removed with its last reference.
package final class PolicyFolder: Sendable {
  package let path: String
  package var policy: String { path + "/policy.json" }

  package init() throws {
    var template = Array("/tmp/policy-test-XXXXXX".utf8CString)
    let isCreated = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
    guard isCreated else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package convenience init(_ text: String) throws {
    try self.init()
    try write(text)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Overwrites the policy file, or the file at `path`, in place, as `cat > FILE` does.
  package func write(_ text: String, to path: String? = nil) throws {
    let descriptor = open(path ?? policy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    let bytes = Array(text.utf8)
    guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    close(descriptor)
  }

  /// Writes the policy as editors do: by renaming a new file.
  package func replace(_ text: String) throws {
    let draft = path + "/.policy.swp"
    try write(text, to: draft)
    guard rename(draft, policy) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }
}
