// swift-tools-version: 6.2
import PackageDescription

// Apart from the library's own package, so that nobody else resolves or builds it. `scripts/fuzz`
// gives the flags that it needs.
let package = Package(
  name: "Fuzzing",
  dependencies: [.package(name: "AsyncLocation", path: "..", traits: [])],
  targets: [
    .target(
      name: "ReportFuzzing",
      dependencies: [.product(name: "GPSDBackend", package: "AsyncLocation")]),
    .executableTarget(name: "fuzz-reports", dependencies: ["ReportFuzzing"]),
  ]
)
