// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "three-fixes",
  dependencies: [.package(name: "async-location", path: "../..")],
  targets: [
    .executableTarget(
      name: "three-fixes",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
      ])
  ]
)
